import type { DatabaseKind } from './dialect.ts';
import type { PostgresLimits, SqlEngine } from './engines/engine.ts';
import type { SqliteOptions } from './engines/sqlite/engine.ts';
import { type DataSchema, toPostgresSchema, toSqliteSchema } from './schema.ts';

/** Data that ends with the process. */
export const IN_MEMORY = 'memory:';

/** For programs without the settings of a service; the same as its defaults, times in milliseconds. */
const LIMITS: PostgresLimits = { poolSize: 4, connectTimeout: 2000, statementTimeout: 5000 };

/** The kind of database that a DATABASE_URL names. The URL may contain a password, so no message repeats it. */
export const kindOf = (url: string): DatabaseKind => {
  if (/^postgres(ql)?:\/\//.test(url)) return 'postgres';
  if (url === IN_MEMORY || /^sqlite:./s.test(url)) return 'sqlite';
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
  if (kindOf(url) === 'postgres') {
    const { openPostgres } = await import('./engines/postgres/engine.ts');
    return openPostgres(url, limits, toPostgresSchema(schema), options);
  }
  const { openSqlite, toSqlitePath } = await import('./engines/sqlite/engine.ts');
  const path = url === IN_MEMORY ? ':memory:' : toSqlitePath(url);
  return openSqlite(path, toSqliteSchema(schema), options);
};
