import pg, { type PoolClient, type QueryResult } from 'pg';

type Values = readonly unknown[];
type Result = QueryResult<never>;

/** Whether a value has a plain form in the protocol. Lists have none: the driver knows how to write them. */
export const isPlain = (value: unknown): boolean => !Array.isArray(value);

/** A plain value in the protocol: a text, or bytes. */
const toWire = (value: unknown): string | Buffer | null => {
  if (value === null) return null;
  return value instanceof Uint8Array ? Buffer.from(value) : String(value);
};

/**
 * Runs a statement once for each list of plain values, until one fails. The driver would have PostgreSQL parse the statement
 * for each list, and confirm each: that takes twice as long. Only public parts of the driver are used, as its own cursors
 * use them.
 */
export const repeatQuery = (client: PoolClient, text: string, lists: readonly Values[]): Promise<Result[]> =>
  new Promise((resolve, reject) => {
    const settle = (error: Error | null | undefined, results: Result | Result[]): void => {
      const all: Result[] = [results].flat();
      if (error) reject(error);
      else if (all.length === lists.length) resolve(all);
      else reject(new Error('PostgreSQL gave another number of results than it got lists of values'));
    };
    const query = new pg.Query<never>({ text }, settle);
    query.submit = (connection) => {
      connection.stream.cork();
      connection.parse({ name: '', text, types: [] }, true);
      for (const values of lists) {
        connection.bind({ portal: '', statement: '', values: values.map(toWire) }, true);
        connection.describe({ type: 'P', name: '' }, true);
        connection.execute(null, true);
      }
      connection.sync();
      connection.stream.uncork();
    };
    client.query(query);
  });
