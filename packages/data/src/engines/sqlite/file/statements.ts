import type { DatabaseSyncInstance as Database } from '@photostructure/sqlite';
import { GENERIC, SqliteError } from '../errors.ts';
import type { RunResult, Value } from '../protocol.ts';
import { describeViolation } from './violations.ts';

/** How many statements stay prepared. Programs with more distinct statements prepare some of them again. */
const MOST = 1000;

const FIRST_WORD = /^(?:[\s;]|--.*|\/\*[\s\S]*?\*\/)*(\w+)/;

/** Commands that would end the transaction that others share, or change the settings of the connection. */
const OURS = /^(BEGIN|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE|PRAGMA|ATTACH|DETACH|VACUUM)$/i;

const checkWord = (sql: string): void => {
  const word = FIRST_WORD.exec(sql)?.[1] ?? '';
  if (OURS.test(word))
    throw new SqliteError(
      GENERIC,
      `${word} is the engine's own; use its transactions, and the schema's steps`,
    );
};

/** Runs a statement. Integers come as bigint. */
type Run = (values: readonly Value[]) => RunResult;

/** Runs a statement with its values. */
export type RunStatement = (sql: string, values: readonly Value[]) => RunResult;

/** Creates the function that runs the statements of a database, which stay prepared. */
export const prepareStatements = (database: Database): RunStatement => {
  const prepare = (sql: string) => {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    return statement;
  };
  const totalChanges = prepare('SELECT total_changes() AS total');
  const countChanges = (): unknown => totalChanges.get()?.total;

  const prepareRun = (sql: string): Run => {
    checkWord(sql);
    const statement = prepare(sql);
    if (statement.columns().length === 0) return (values) => Number(statement.run(...values).changes);
    if (!/returning/i.test(sql)) return (values) => ({ rows: statement.all(...values), changed: 0 });
    return (values) => {
      const before = countChanges();
      const rows = statement.all(...values);
      return { rows, changed: countChanges() === before ? 0 : rows.length };
    };
  };
  const made = new Map<string, Run>();
  const remember = (sql: string): Run => {
    if (made.size === MOST) made.clear();
    const run = prepareRun(sql);
    made.set(sql, run);
    return run;
  };
  return (sql, values) => {
    try {
      return (made.get(sql) ?? remember(sql))(values);
    } catch (error) {
      throw describeViolation(database, { sql, values }, error);
    }
  };
};
