import { DatabaseSync } from '@photostructure/sqlite';
import { DATABASE_FILE } from './settings.ts';

/** A plant as the peers get it: their JSON parsers make doubles of ids. */
export interface SentPlant {
  readonly id: number;
  readonly name: string;
  readonly tag?: string | undefined;
}

/**
 * The store of the peers: the driver, the table, the conflict rule and the durability of the service, with a commit
 * for each request, as a handler has it that calls a database. Exported because nothing else holds on to it: the
 * driver closes a database that is collected, whatever statements there are.
 */
export const database = new DatabaseSync(DATABASE_FILE, { timeout: 5000 });
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
database.exec(
  'CREATE TABLE IF NOT EXISTS plants (id INTEGER PRIMARY KEY, name TEXT NOT NULL, tag TEXT) STRICT',
);
const insert = database.prepare('INSERT INTO plants (id, name, tag) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
const same = database.prepare('SELECT 1 FROM plants WHERE id = ? AND name = ? AND tag IS ?');

/** Whether the plant is there now, durably; not if another holds its id. */
export const create = ({ id, name, tag }: SentPlant): boolean => {
  const row = [id, name, tag ?? null] as const;
  return insert.run(...row).changes > 0 || same.get(...row) !== undefined;
};

/** What the world sees of a plant. */
export const toPlant = ({ name, tag }: SentPlant) => (tag === undefined ? { name } : { name, tag });

/** The body of an error, in the one shape that errors have. */
export const toError = (status: number, message: string) => ({ error: status * 100 + 1, message });
