import { type Data, type DataConfig, type DataOptions, openData } from '@trellis/server/data';

/** The tables that the migrations make. */
export interface Tables {
  event: { id: string; name: string; location: string; description: string; price: number };
  /** The dates of an event, in the order in which they were given. */
  event_date: { event_id: string; position: bigint; date: string };
  ticket: {
    id: string;
    type: 'event' | 'general';
    date: string;
    event_id: string | null;
    email: string | null;
    code: string;
  };
}

const SCHEMA = {
  name: 'museum data',
  migrations: [
    `CREATE TABLE event (id text PRIMARY KEY, name text NOT NULL, location text NOT NULL, description text NOT NULL,
      price double precision NOT NULL)`,
    `CREATE TABLE event_date (event_id text NOT NULL REFERENCES event (id) ON DELETE CASCADE, position bigint NOT NULL,
      date text NOT NULL, PRIMARY KEY (event_id, position))`,
    'CREATE INDEX event_date_by_date ON event_date (date)',
    `CREATE TABLE ticket (id text PRIMARY KEY, type text NOT NULL, date text NOT NULL, event_id text, email text,
      code text NOT NULL UNIQUE)`,
    'CREATE INDEX ticket_by_event ON ticket (event_id, date)',
  ],
};

/** Where the museum keeps its events and the tickets that it has sold. */
export type Store = Data<Tables>;

/** Opens the database that DATABASE_URL names: sqlite:PATH, postgres://… or memory: */
export const openStore = (config: DataConfig, options?: DataOptions): Promise<Store> =>
  openData<Tables>(config, SCHEMA, options);
