import { type DataSchema, toSchema } from './engines/schema.ts';
import type { Backup, BackupOptions } from './engines/sqlite/backup.ts';
import { IN_MEMORY } from './engines/sqlite/protocol.ts';
import { parseUrl } from './open.ts';

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
  const { kind, path } = parseUrl(url);
  if (kind === 'postgres')
    throw new Error(
      'DATABASE_URL names PostgreSQL, which has its own tools; use pg_dump --file=FILE "$DATABASE_URL"',
    );
  if (path === IN_MEMORY)
    throw new Error(
      'DATABASE_URL names data that ends with its process; name data in a file, as in sqlite:data/store.db',
    );
  const { backUpSqlite } = await import('./engines/sqlite/backup.ts');
  return backUpSqlite({ path, schema: toSchema(schema, kind) }, count, options);
};
