import {
  type Compilable,
  type Kysely,
  type QueryResult,
  type RawBuilder,
  sql,
  type Transaction,
} from 'kysely';
import { onlyReads } from './dialect.ts';
import type { SqlEngine } from './engines/engine.ts';

/**
 * Stands in a prepared query for a value that the query gets when it runs.
 *
 * @example
 * const find = data.prepare((db, param: Param<{ id: bigint }>) =>
 *   db.selectFrom('accounts').selectAll().where('id', '=', param('id')));
 */
export type Param<Values> = <Name extends keyof Values & string>(name: Name) => RawBuilder<Values[Name]>;

/**
 * Runs a prepared query with its values, alone or in a transaction.
 *
 * @example
 * const { rows } = await find({ id: 1n });
 */
export type PreparedQuery<Tables, Values, Row> = (
  values: Values,
  tx?: Transaction<Tables>,
) => Promise<QueryResult<Row>>;

/** Builds a query with Kysely and compiles it, once. */
export const prepareQuery = <Tables, Values, Row>(
  db: Kysely<Tables>,
  { read, run }: Pick<SqlEngine, 'read' | 'run'>,
  make: (db: Kysely<Tables>, param: Param<Values>) => Compilable<Row>,
): PreparedQuery<Tables, Values, Row> => {
  const places = new Map<unknown, keyof Values & string>();
  const param: Param<Values> = <Name extends keyof Values & string>(name: Name) => {
    const place = { name };
    places.set(place, name);
    return sql<Values[Name]>`${place}`;
  };
  const compiled = make(db, param).compile();
  const runAlone = onlyReads(compiled.query) ? read : run;
  const fill = (values: Values): unknown[] =>
    compiled.parameters.map((parameter) => {
      const name = places.get(parameter);
      return name === undefined ? parameter : values[name];
    });
  return (values, tx) =>
    tx
      ? tx.executeQuery({ ...compiled, parameters: fill(values) })
      : runAlone<Row>({ sql: compiled.sql, values: fill(values) });
};
