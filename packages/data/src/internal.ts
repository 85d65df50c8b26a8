export type { HeldLock, SqlEngine, SqlStatement, SqlTransaction } from './engines/engine.ts';
export { type CommitObserver, createGroupCommit } from './engines/group-commit.ts';
export type { DataSchema } from './engines/schema.ts';
export type { SqliteOptions } from './engines/sqlite/engine.ts';
export { openEngine } from './open.ts';
