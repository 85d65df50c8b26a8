export type { HeldLock, SqlEngine, SqlStatement, SqlTransaction } from './engines/engine.ts';
export { createGroupCommit } from './engines/group-commit.ts';
export type { CommitObserver } from './engines/observer.ts';
export type { SqliteOptions } from './engines/sqlite/engine.ts';
export { openEngine } from './open.ts';
export type { DataSchema } from './schema.ts';
