export { type CommitBatch, type GuardedStatement, openPostgresEngine } from './engine.ts';
