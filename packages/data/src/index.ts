export { backUpData } from './back-up.ts';
export { type Data, type DataConfig, type DataOptions, openData } from './data.ts';
export { ConstraintViolation, InvalidValue, StoreOverloaded, StoreUnavailable } from './engines/errors.ts';
export { retry } from './engines/retry.ts';
export type { DataSchema } from './engines/schema.ts';
export type { Backup, BackupOptions } from './engines/sqlite/backup.ts';
export type { Param } from './prepare.ts';
