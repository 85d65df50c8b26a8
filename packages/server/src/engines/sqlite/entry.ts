export { type BackupOptions, backUpSqlite } from './backup.ts';
export { openSqliteEngine } from './open.ts';
