import type { DatabaseKind } from './dialect.ts';
import type { OpenOptions, PostgresLimits } from './engines/options.ts';
import type { SqlEngine } from './engines/sql.ts';
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
  limits: PostgresLimits = LIMITS,
  schema: DataSchema,
  options: OpenOptions,
): Promise<SqlEngine> => {
  if (kindOf(url) === 'postgres') {
    const { openPostgresSql } = await import('./engines/postgres/sql.ts');
    return openPostgresSql(url, limits, toPostgresSchema(schema), options);
  }
  const { openSqliteSql, toSqlitePath } = await import('./engines/sqlite/open.ts');
  const path = url === IN_MEMORY ? ':memory:' : toSqlitePath(url);
  return openSqliteSql(path, toSqliteSchema(schema), options);
};
