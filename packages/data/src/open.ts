import type { PostgresLimits, SqlEngine } from './engines/engine.ts';
import { type DatabaseKind, type DataSchema, toSchema } from './engines/schema.ts';
import type { SqliteOptions } from './engines/sqlite/engine.ts';
import { IN_MEMORY } from './engines/sqlite/protocol.ts';

/** For programs without the settings of a service; the same as its defaults, times in milliseconds. */
const LIMITS: PostgresLimits = { poolSize: 4, connectTimeout: 2000, statementTimeout: 5000 };

/** SQLite takes these for no plain path: it would store nothing, or follow the options of a URI. */
const checkPath = (path: string): string => {
  if (path !== IN_MEMORY && !path.startsWith('file:')) return path;
  throw new Error(
    `DATABASE_URL: ${path} cannot be used: SQLite takes it for no plain path; use memory: for a store that ends with the process, or a path, as in sqlite:data/store.db`,
  );
};

/**
 * The kind of database that a DATABASE_URL names, and its path in SQLite. The URL may contain a password, so no message
 * repeats it.
 */
export const parseUrl = (url: string): { readonly kind: DatabaseKind; readonly path: string } => {
  if (/^postgres(ql)?:\/\//.test(url)) return { kind: 'postgres', path: '' };
  if (url === 'memory:') return { kind: 'sqlite', path: IN_MEMORY };
  if (/^sqlite:./s.test(url)) return { kind: 'sqlite', path: checkPath(url.slice('sqlite:'.length)) };
  throw new Error(
    'DATABASE_URL names no database that is known here; use sqlite:PATH, postgres://… or memory:',
  );
};

/** Opens the engine that a DATABASE_URL names. A driver is loaded only if it is used, which keeps the start short. */
export const openEngine = async (
  url: string,
  schema: DataSchema,
  options: SqliteOptions = {},
  limits: PostgresLimits = LIMITS,
): Promise<SqlEngine> => {
  const { kind, path } = parseUrl(url);
  if (kind === 'sqlite')
    return (await import('./engines/sqlite/engine.ts')).openSqlite(path, toSchema(schema, kind), options);
  return (await import('./engines/postgres/engine.ts')).openPostgres(
    url,
    limits,
    toSchema(schema, kind),
    options,
  );
};
