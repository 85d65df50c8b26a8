import type { OpenOptions, PostgresLimits } from '../engines/options.ts';
import type { SqlEngine } from '../engines/sql.ts';
import type { DatabaseKind } from './dialect.ts';
import { type DataSchema, toPostgresSchema, toSqliteSchema } from './schema.ts';

/** For programs without the settings of a service; the same as its defaults, times in milliseconds. */
const LIMITS: PostgresLimits = { poolSize: 4, connectTimeout: 2000, statementTimeout: 5000 };

/** Opens the engine that a DATABASE_URL names. The URL may contain a password, so no message repeats it. */
export const openEngine = async (
  url: string,
  limits: PostgresLimits = LIMITS,
  schema: DataSchema,
  options: OpenOptions,
): Promise<{ readonly engine: SqlEngine; readonly kind: DatabaseKind }> => {
  // A driver is loaded only if its database is used, which keeps the start short.
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { openPostgresSql } = await import('../engines/postgres/entry.ts');
    return {
      engine: await openPostgresSql(url, limits, toPostgresSchema(schema), options),
      kind: 'postgres',
    };
  }
  if (url === 'memory:' || /^sqlite:./s.test(url)) {
    const { openSqliteSql, toSqlitePath } = await import('../engines/sqlite/entry.ts');
    const path = url === 'memory:' ? ':memory:' : toSqlitePath(url);
    return { engine: await openSqliteSql(path, toSqliteSchema(schema), options), kind: 'sqlite' };
  }
  throw new Error(
    'DATABASE_URL names no database that is known here; use sqlite:PATH, postgres://… or memory:',
  );
};
