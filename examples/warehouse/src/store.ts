import { mkdir } from 'node:fs/promises';
import { type DataConfig, type DataOptions, openData } from '@trellis/data';
import {
  createDelivery,
  createOutbox,
  createWebhooks,
  OUTBOX_MIGRATION,
  type OutboxTables,
} from '@trellis/outbox';
import { createFeed } from '@trellis/server/http';
import type { Transaction } from 'kysely';
import type { Webhooks } from '../generated/handler.ts';
import type { components } from '../generated/openapi.ts';
import { LABELS } from './labels.ts';
import { PRODUCT } from './product.ts';

export type Order = components['schemas']['Order'];

/** The tables that the migrations make. */
export interface Tables extends OutboxTables {
  product: { id: bigint; stock: bigint };
  orders: {
    id: bigint;
    reference: string;
    product: bigint;
    quantity: bigint;
    note: string;
    /** Grows with every change; its ETag. */
    version: bigint;
  };
}

const PRODUCTS = Array.from({ length: 50 }, (_, id) => `(${id}, 1000000)`);

const SCHEMA = {
  name: 'warehouse data',
  migrations: [
    'CREATE TABLE product (id bigint PRIMARY KEY, stock bigint NOT NULL CHECK (stock >= 0))',
    `INSERT INTO product VALUES ${PRODUCTS.join(', ')}`,
    `CREATE TABLE orders (id bigint PRIMARY KEY, reference text NOT NULL UNIQUE, product bigint NOT NULL REFERENCES product (id),
      quantity bigint NOT NULL, note text NOT NULL, version bigint NOT NULL)`,
    OUTBOX_MIGRATION,
  ],
};

const { WEBHOOK_SECRET, WEBHOOK_NETWORKS = '' } = process.env;
const allow = WEBHOOK_NETWORKS.split(',').filter(Boolean);

/** Delivers webhooks: only into the networks that WEBHOOK_NETWORKS allows may they be private, and without TLS. */
const deliver = createDelivery({
  secrets: WEBHOOK_SECRET ? [WEBHOOK_SECRET] : [],
  allow,
  allowHttp: allow.length > 0,
});

/** Opens the database that DATABASE_URL names: sqlite:PATH, postgres://… or memory: */
export const openStore = async (config: DataConfig, options?: DataOptions) => {
  await mkdir(LABELS, { recursive: true });
  const data = await openData<Tables>(config, SCHEMA, options);
  const outbox = createOutbox(data, { deliver: { webhooks: deliver } });
  const webhooks: Webhooks<Transaction<Tables>> = createWebhooks({ contract: PRODUCT.contract, outbox });
  return { ...data, outbox, webhooks, sales: createFeed<Order>(), watchers: new Set<AbortSignal>() };
};

/** Where the warehouse keeps its data. */
export type Store = Awaited<ReturnType<typeof openStore>>;
