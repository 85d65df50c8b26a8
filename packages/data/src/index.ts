export { backUpData } from './back-up.ts';
export { type Data, type DataConfig, type DataOptions, openData } from './data.ts';
export {
  type ConstraintKind,
  ConstraintViolation,
  InvalidValue,
  type Reason,
  StoreOverloaded,
  StoreUnavailable,
} from './engines/errors.ts';
export { retry } from './engines/retry.ts';
export type { Backup, BackupOptions } from './engines/sqlite/backup.ts';
export type { Param, PreparedQuery } from './prepare.ts';
export type { DataSchema, Migration } from './schema.ts';
