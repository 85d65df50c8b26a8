export type { Backup, BackupOptions } from '../engines/sqlite/backup.ts';
export { backUpData } from './back-up.ts';
export { type Data, type DataConfig, type DataOptions, openData } from './data.ts';
export type { Param, PreparedQuery } from './prepare.ts';
export type { DataSchema, Migration } from './schema.ts';
