import SQLite from 'better-sqlite3';
import { Kysely, type Migration, Migrator, SqliteDialect, sql } from 'kysely';

export interface Tables {
  event: {
    id: string;
    name: string;
    location: string;
    description: string;
    price: number;
    created: number;
    version: number;
  };
  event_date: { event_id: string; position: number; date: string };
  ticket: {
    id: string;
    type: 'event' | 'general';
    date: string;
    event_id: string | null;
    email: string | null;
    code: string;
    buyer: string;
    state: 'sold' | 'used' | 'refunded';
  };
  outbox: {
    seq?: number;
    id: string;
    url: string;
    key: string;
    body: string;
    attempts: number;
    due: number;
    dead: number;
  };
}
export type Database = Kysely<Tables>;

const INITIAL = [
  `CREATE TABLE event (id text PRIMARY KEY, name text NOT NULL, location text NOT NULL, description text NOT NULL,
    price real NOT NULL, created integer NOT NULL, version integer NOT NULL)`,
  'CREATE INDEX event_by_age ON event (created, id)',
  `CREATE TABLE event_date (event_id text NOT NULL REFERENCES event (id) ON DELETE CASCADE, position integer NOT NULL,
    date text NOT NULL, PRIMARY KEY (event_id, position))`,
  'CREATE INDEX event_date_by_date ON event_date (date)',
  `CREATE TABLE ticket (id text PRIMARY KEY, type text NOT NULL, date text NOT NULL, event_id text, email text,
    code text NOT NULL UNIQUE, buyer text NOT NULL, state text NOT NULL CHECK (state IN ('sold', 'used', 'refunded')))`,
  'CREATE INDEX ticket_by_event ON ticket (event_id, date)',
  `CREATE TABLE outbox (seq integer PRIMARY KEY AUTOINCREMENT, id text NOT NULL, url text NOT NULL, key text NOT NULL,
    body text NOT NULL, attempts integer NOT NULL, due integer NOT NULL, dead integer NOT NULL)`,
  'CREATE INDEX outbox_by_key ON outbox (dead, key, seq)',
];

const MIGRATIONS: Record<string, Migration> = {
  '001-initial': {
    async up(db) {
      for (const statement of INITIAL) await sql.raw(statement).execute(db);
    },
  },
};

/** Opens a SQLite file that keeps what was committed, and brings its tables up to date. */
export const openDatabase = async (file: string): Promise<Database> => {
  const database = new SQLite(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) });
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
  return db;
};
