/** A service whose creates count by key and tell RECEIVER of it, in one transaction. */
import { pathToFileURL } from 'node:url';
import { openData } from '@trellis/data';
import { createOutbox, OUTBOX_MIGRATION, type OutboxEvent, type OutboxTables } from '@trellis/outbox';
import { serve } from '@trellis/server';
import { THINGS_FILE } from '../../packages/server/tests/support/service.ts';
import type { Thing } from '../../packages/server/tests/support/things.ts';

interface Tables extends OutboxTables {
  counters: { key: string; n: bigint };
}

const SCHEMA = {
  name: 'Counted things',
  migrations: ['CREATE TABLE counters (key text PRIMARY KEY, n bigint NOT NULL)', OUTBOX_MIGRATION],
};

const tell = async ({ id, key, payload }: OutboxEvent<number>, { signal }: { signal: AbortSignal }) => {
  const body = JSON.stringify({ id, key, n: payload });
  const reply = await fetch(process.env.RECEIVER ?? '', { method: 'POST', body, signal });
  await reply.arrayBuffer();
  if (!reply.ok) throw new Error(`the receiver answered ${reply.status}`);
};

await serve({
  name: 'counted-things',
  version: '1',
  contract: pathToFileURL(THINGS_FILE),
  databaseUrl: 'sqlite:things.db',
  openStore: async (config, options) => {
    const data = await openData<Tables>(config, SCHEMA, options);
    const limits = { timeout: 300, firstPause: 50, longestPause: 500, pollEvery: 50, maxAttempts: 1_000_000 };
    return { ...data, outbox: createOutbox(data, { deliver: { counted: tell }, ...limits }) };
  },
  background: ({ outbox }) => [outbox.task],
  handlers: ({ transaction, outbox }) => ({
    createThing: async ({ body: { tag = '' } }: { readonly body: Thing }) => {
      const count = await transaction(async (tx) => {
        const { n } = await tx
          .insertInto('counters')
          .values({ key: tag, n: 1n })
          .onConflict((conflict) =>
            conflict.column('key').doUpdateSet((eb) => ({ n: eb('counters.n', '+', 1n) })),
          )
          .returning('n')
          .executeTakeFirstOrThrow();
        await outbox.add(tx, { topic: 'counted', key: tag, payload: Number(n) });
        return n;
      });
      return { status: 200, body: { name: `${count}` } };
    },
  }),
});
