import type { DatabaseSyncInstance as Database } from '@photostructure/sqlite';
import { GENERIC, SqliteError } from '../errors.ts';
import type { Statement, Value } from '../protocol.ts';
import { describeViolation } from './violations.ts';

/** How many statements stay prepared. Whoever makes up more than that prepares some of them again. */
const MOST = 1000;

const remember = <T>(make: (sql: string) => T): ((sql: string) => T) => {
  const made = new Map<string, T>();
  return (sql) => {
    const found = made.get(sql);
    if (found !== undefined) return found;
    if (made.size === MOST) made.clear();
    const fresh = make(sql);
    made.set(sql, fresh);
    return fresh;
  };
};

const FIRST_WORD = /^(?:[\s;]|--.*|\/\*[\s\S]*?\*\/)*(\w+)/;

/** They would end the transaction that others share, or change what the connection promises. */
const OURS = /^(BEGIN|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE|PRAGMA|ATTACH|DETACH|VACUUM)$/i;

const checkWord = (sql: string): void => {
  const word = FIRST_WORD.exec(sql)?.[1] ?? '';
  if (OURS.test(word))
    throw new SqliteError(
      GENERIC,
      `${word} is the engine's own; use its transactions, and the schema's steps`,
    );
};

/** Runs statements of a database, which stay prepared. Integers come as bigint. */
export const prepareStatements = (database: Database) => {
  const prepare = (sql: string) => {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    return statement;
  };
  /** Tells whether a statement changed or found a row. SQLite counts no changes for one that only finds. */
  const prepareAttempt = (sql: string): ((values: readonly Value[]) => boolean) => {
    const statement = prepare(sql);
    return statement.columns().length > 0
      ? (values) => statement.get(...values) !== undefined
      : (values) => statement.run(...values).changes > 0;
  };
  const totalChanges = prepare('SELECT total_changes() AS total');
  const countChanges = (): unknown => totalChanges.get()?.total;

  const prepareRun = (sql: string): ((values: readonly Value[]) => { rows: unknown[]; changed: bigint }) => {
    checkWord(sql);
    const statement = prepare(sql);
    if (statement.columns().length === 0)
      return (values) => ({ rows: [], changed: BigInt(statement.run(...values).changes) });
    if (!/returning/i.test(sql)) return (values) => ({ rows: statement.all(...values), changed: 0n });
    return (values) => {
      const before = countChanges();
      const rows = statement.all(...values);
      return { rows, changed: countChanges() === before ? 0n : BigInt(rows.length) };
    };
  };
  const runOf = remember(prepareRun);
  return {
    statementOf: remember(prepare),
    attemptOf: remember(prepareAttempt),
    run(statement: Statement) {
      try {
        return runOf(statement.sql)(statement.values);
      } catch (error) {
        throw describeViolation(database, statement, error);
      }
    },
  };
};
