import { type DataConfig, type DataOptions, openData } from '@trellis/data';
import { createOutbox, createWebhooks, OUTBOX_MIGRATION, type OutboxTables } from '@trellis/outbox';
import type { Transaction } from 'kysely';
import type { Webhooks } from '../generated/handler.ts';
import type { components } from '../generated/openapi.ts';
import { PRODUCT } from './product.ts';
import { deliver, SUBSCRIBERS } from './subscribers.ts';

/** The tables that the migrations make. */
export interface Tables extends OutboxTables {
  event: {
    id: string;
    name: string;
    location: string;
    description: string;
    price: number;
    /** In milliseconds: the order of the list. */
    created: bigint;
    /** Grows with every change; its ETag. */
    version: bigint;
  };
  /** The dates of an event, in the order in which they were given. */
  event_date: { event_id: string; position: bigint; date: string };
  ticket: {
    id: string;
    type: 'event' | 'general';
    date: string;
    event_id: string | null;
    email: string | null;
    code: string;
    /** The name of who has bought it. */
    buyer: string;
    state: 'sold' | 'used' | 'refunded';
  };
}

const SCHEMA = {
  name: 'museum data',
  migrations: [
    `CREATE TABLE event (id text PRIMARY KEY, name text NOT NULL, location text NOT NULL, description text NOT NULL,
      price double precision NOT NULL, created bigint NOT NULL, version bigint NOT NULL)`,
    'CREATE INDEX event_by_age ON event (created, id)',
    `CREATE TABLE event_date (event_id text NOT NULL REFERENCES event (id) ON DELETE CASCADE, position bigint NOT NULL,
      date text NOT NULL, PRIMARY KEY (event_id, position))`,
    'CREATE INDEX event_date_by_date ON event_date (date)',
    `CREATE TABLE ticket (id text PRIMARY KEY, type text NOT NULL, date text NOT NULL, event_id text, email text,
      code text NOT NULL UNIQUE, buyer text NOT NULL,
      state text NOT NULL CHECK (state IN ('sold', 'used', 'refunded')))`,
    'CREATE INDEX ticket_by_event ON ticket (event_id, date)',
    OUTBOX_MIGRATION,
  ],
};

/** Opens the database that DATABASE_URL names: sqlite:PATH, postgres://… or memory: */
export const openStore = async (config: DataConfig, options?: DataOptions) => {
  const data = await openData<Tables>(config, SCHEMA, options);
  const outbox = createOutbox(data, { deliver: { webhooks: deliver } });
  const webhooks: Webhooks<Transaction<Tables>> = createWebhooks({ contract: PRODUCT.contract, outbox });
  return {
    ...data,
    outbox,
    /** Tells all subscribers of an event that is new or has changed, once the transaction is committed. */
    async publish(tx: Transaction<Tables>, event: components['schemas']['SpecialEvent']): Promise<void> {
      for (const url of SUBSCRIBERS)
        await webhooks.send(tx, 'publishNewEvent', { url, key: `${url} ${event.eventId}`, body: event });
    },
  };
};

/** Where the museum keeps its events and the tickets that it has sold. */
export type Store = Awaited<ReturnType<typeof openStore>>;
