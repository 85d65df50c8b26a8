export { type BackupOptions, backUpSqlite } from './backup.ts';
export { SqliteError } from './errors.ts';
export { openSqliteEngine, openSqliteSql, toSqlitePath } from './open.ts';
