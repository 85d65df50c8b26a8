import type { Backup, BackupOptions } from './engines/sqlite/backup.ts';
import { IN_MEMORY, kindOf } from './open.ts';
import { type DataSchema, toSqliteSchema } from './schema.ts';

/**
 * Copies the data of a SQLite file, in use or not, into another file. `count` is a query that counts the rows of the copy.
 *
 * @example
 * const { rows, bytes } = await backUpData('sqlite:data/bank.db', SCHEMA, 'SELECT count(*) FROM accounts', {
 *   file: '/backup/bank.db', signal: AbortSignal.timeout(60_000) });
 */
export const backUpData = async (
  url: string,
  schema: DataSchema,
  count: string,
  options: BackupOptions,
): Promise<Backup> => {
  if (kindOf(url) === 'postgres')
    throw new Error(
      'DATABASE_URL names PostgreSQL, which has its own tools; use pg_dump --file=FILE "$DATABASE_URL"',
    );
  if (url === IN_MEMORY)
    throw new Error(
      'DATABASE_URL names data that ends with its process; name data in a file, as in sqlite:data/store.db',
    );
  const { toSqlitePath } = await import('./engines/sqlite/engine.ts');
  const { backUpSqlite } = await import('./engines/sqlite/backup.ts');
  return backUpSqlite({ path: toSqlitePath(url), schema: toSqliteSchema(schema) }, count, options);
};
