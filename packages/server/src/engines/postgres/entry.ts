export { type CommitBatch, type GuardedStatement, openPostgresEngine } from './engine.ts';
export type { PostgresSteps } from './migrate.ts';
export { openPostgresSql, type PostgresSql } from './sql.ts';
