import { DatabaseSync } from '@photostructure/sqlite';
import pg from 'pg';

/** A row of a table. */
export type Row = Readonly<Record<string, unknown>>;

/** Runs a query on a SQLite file, without a service. */
export const querySqlite = (path: string, sql: string): Row[] => {
  const database = new DatabaseSync(path);
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
};

/** Runs a query on a PostgreSQL database, without a service. */
export const queryPostgres = async (url: string, sql: string): Promise<Row[]> => {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
};
