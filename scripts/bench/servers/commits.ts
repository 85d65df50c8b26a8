import { DatabaseSync } from '@photostructure/sqlite';
import { DATABASE_FILE } from './settings.ts';

/** A plant as the peers receive it; their JSON parsers turn ids into doubles. */
export interface SentPlant {
  readonly id: number;
  readonly name: string;
  readonly tag?: string | undefined;
}

/** The database of the peers: it has the driver, the table and the durability of the service. */
const database = new DatabaseSync(DATABASE_FILE, { timeout: 5000 });
// Keeps it alive: the driver closes a database that is garbage, even with statements still in use.
process.once('exit', () => database.close());
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
database.exec(
  'CREATE TABLE IF NOT EXISTS plants (id INTEGER PRIMARY KEY, name TEXT NOT NULL, tag TEXT) STRICT',
);
const insert = database.prepare('INSERT INTO plants (id, name, tag) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
const same = database.prepare('SELECT 1 FROM plants WHERE id = ? AND name = ? AND tag IS ?');

/**
 * Stores a plant by the conflict rule of the service; returns false if another plant has its id. Outside a transaction
 * each plant is committed alone, as in a handler that calls a database.
 */
export const create = ({ id, name, tag }: SentPlant): boolean => {
  const row = [id, name, tag ?? null] as const;
  return insert.run(...row).changes > 0 || same.get(...row) !== undefined;
};

interface Waiting {
  readonly plant: SentPlant;
  readonly resolve: (isStored: boolean) => void;
  readonly reject: (error: unknown) => void;
}

let waiting: Waiting[] = [];

/** Holds the event loop until the disk has the batch. Requests that arrive meanwhile are the next one. */
const commit = (): void => {
  const batch = waiting;
  waiting = [];
  try {
    database.exec('BEGIN IMMEDIATE');
    const stored = batch.map(({ plant }) => create(plant));
    database.exec('COMMIT');
    for (const [nth, { resolve }] of batch.entries()) resolve(stored[nth] === true);
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    for (const { reject } of batch) reject(error);
  }
};

/** Like `create`, with one commit for all requests of a turn of the event loop. */
export const createTogether = (plant: SentPlant): Promise<boolean> =>
  new Promise((resolve, reject) => {
    if (waiting.length === 0) setImmediate(commit);
    waiting.push({ plant, resolve, reject });
  });

/** A plant as replies show it. */
export const toPlant = ({ name, tag }: SentPlant) => (tag === undefined ? { name } : { name, tag });

/** The body of an error reply. */
export const toError = (status: number, message: string) => ({ error: status * 100 + 1, message });
