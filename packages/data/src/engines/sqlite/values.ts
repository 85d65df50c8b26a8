import type { SqlResult, SqlStatement } from '../engine.ts';
import { InvalidValue } from '../errors.ts';
import { toError } from './errors.ts';
import type { RunResult, Runs, Statement, Value } from './protocol.ts';

const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;

const REMEDIES: Readonly<Record<string, string>> = {
  Date: 'pass its toISOString() or getTime()',
  undefined: 'pass null',
  Array: 'pass JSON.stringify of it',
  Object: 'pass JSON.stringify of it',
};

/** Kinds of values that may come from a client: some of them are storable, and the contract may allow the others too. */
const OF_CLIENTS: ReadonlySet<string> = new Set(['bigint', 'number', 'string']);

const kindOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? (value.constructor?.name ?? 'Object') : typeof value;

/**
 * The SQLite of Node 20 binds numbers of up to 2^-52 as 0. Their text is exact: SQLite reads it as a number where a column
 * is of a type for numbers.
 */
const numberOf = (value: number): Value =>
  value !== 0 && Math.abs(value) <= Number.EPSILON ? `${value}` : value;

/** What SQLite stores exactly. Whole numbers go as integers: SQLite would show 5 as 5.0 where a column takes any type. */
const exactly = (value: unknown): Value | undefined => {
  if (value === null) return null;
  // SQLite would cut a text at U+0000, and put another character in the place of a lone surrogate.
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0') ? value : undefined;
  if (typeof value === 'bigint') return value >= MIN_INT64 && value <= MAX_INT64 ? value : undefined;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : numberOf(value);
  if (typeof value === 'boolean') return value ? 1n : 0n;
  return value instanceof Uint8Array ? new Uint8Array(value) : undefined; // without the rest of a Buffer's pool
};

const toValue = (value: unknown, index: number): Value => {
  const exact = exactly(value);
  if (exact !== undefined && !Number.isNaN(exact)) return exact;
  const kind = kindOf(value);
  const remedy =
    REMEDIES[kind] ?? 'SQLite takes int64, numbers, well-formed text without U+0000, Uint8Array and null';
  const error = new TypeError(
    `value ${index + 1} of a statement is a ${kind} that SQLite cannot store exactly; ${remedy}`,
  );
  throw OF_CLIENTS.has(kind) ? new InvalidValue(error) : error;
};

/** Makes values into those that SQLite stores; throws, naming the remedy, if it cannot store one exactly. */
export const toStatement = ({ sql, values }: SqlStatement): Statement => ({
  sql,
  values: values.map(toValue),
});

/** Reads the result of a statement; throws if the statement has failed. */
export const toResult = <Row>(given: RunResult<Row>): SqlResult<Row> => {
  if (typeof given === 'number') return { rows: [], numAffectedRows: BigInt(given) };
  if ('failure' in given) throw toError(given.failure);
  return { rows: given.rows, numAffectedRows: BigInt(given.changed) };
};

/** Joins statements that follow each other with the same text. */
export const toRuns = (statements: readonly Statement[]): Runs[] => {
  const all: Runs[] = [];
  for (let start = 0; start < statements.length; ) {
    const { sql, values } = statements[start] ?? { sql: '', values: [] };
    let end = start + 1;
    for (let next = statements[end]; next?.sql === sql && next.values.length === values.length; ) {
      end += 1;
      next = statements[end];
    }
    const some = statements.slice(start, end);
    const columns = values.map((_, column) => some.map((statement) => statement.values[column] ?? null));
    all.push({ sql, count: some.length, columns });
    start = end;
  }
  return all;
};
