import type { Generated } from 'kysely';

/** The tables of an outbox; times are milliseconds since 1970. */
export interface OutboxTables {
  /** Events that are not delivered yet, in the order of their commits. */
  outbox_events: {
    seq: Generated<bigint>;
    id: string;
    topic: string;
    key: string;
    payload: string;
    created: bigint;
  };
  /** Keys that have events: how many, and when the first of them is tried, after how many failures. */
  outbox_keys: {
    key: string;
    pending: bigint;
    due: bigint;
    failures: bigint;
  };
  /** Events that were given up. */
  outbox_dead: {
    id: string;
    topic: string;
    key: string;
    payload: string;
    created: bigint;
    died: bigint;
    reason: string;
  };
}

const stepWith = (seq: string): string => `
CREATE TABLE outbox_events (
  seq ${seq},
  id text NOT NULL,
  topic text NOT NULL,
  key text NOT NULL,
  payload text NOT NULL,
  created bigint NOT NULL
);
CREATE INDEX outbox_events_by_key ON outbox_events (key, seq);
CREATE TABLE outbox_keys (
  key text PRIMARY KEY,
  pending bigint NOT NULL,
  due bigint NOT NULL,
  failures bigint NOT NULL
);
CREATE INDEX outbox_keys_by_due ON outbox_keys (due);
CREATE TABLE outbox_dead (
  id text PRIMARY KEY,
  topic text NOT NULL,
  key text NOT NULL,
  payload text NOT NULL,
  created bigint NOT NULL,
  died bigint NOT NULL,
  reason text NOT NULL
);`;

/**
 * The step of a schema that makes the tables of an outbox: put it into your `migrations`.
 *
 * @example
 * const schema = { name: 'orders', migrations: ['CREATE TABLE orders (id bigint PRIMARY KEY)', OUTBOX_MIGRATION] };
 */
export const OUTBOX_MIGRATION = {
  sqlite: stepWith('integer PRIMARY KEY AUTOINCREMENT'),
  postgres: stepWith('bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY'),
} as const;
