import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Selectable, Transaction } from 'kysely';
import type { Database, Tables } from './database.ts';

const POLL_MS = 1000;
const AT_ONCE = 8;
const TIMEOUT_MS = 15_000;
const MAX_ATTEMPTS = 20;
const LONGEST_PAUSE_MS = 3_600_000;

type Message = Selectable<Tables['outbox']>;

/** Adds news of an event to a transaction, for every subscriber. */
export type Publish = (tx: Transaction<Tables>, event: { readonly eventId: string }) => Promise<void>;

export const createPublish =
  (subscribers: readonly string[]): Publish =>
  async (tx, event) => {
    if (subscribers.length === 0) return;
    const body = JSON.stringify(event);
    const rows = subscribers.map((url) => ({
      ...{ id: randomUUID(), url, key: `${url} ${event.eventId}`, body },
      ...{ attempts: 0, due: 0, dead: 0 },
    }));
    await tx.insertInto('outbox').values(rows).execute();
  };

/** Signs a message as https://www.standardwebhooks.com says. */
const headersOf = ({ id, body }: Message, secret: string): Record<string, string> => {
  const timestamp = `${Math.floor(Date.now() / 1000)}`;
  const headers = { 'content-type': 'application/json', 'webhook-id': id, 'webhook-timestamp': timestamp };
  if (!secret) return headers;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { ...headers, 'webhook-signature': `v1,${signature}` };
};

const send = async (message: Message, secret: string): Promise<boolean> => {
  try {
    const { url, body } = message;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const headers = headersOf(message, secret);
    const reply = await fetch(url, { method: 'POST', body, headers, redirect: 'manual', signal });
    await reply.body?.cancel();
    return reply.ok;
  } catch {
    return false;
  }
};

/** Delivers the messages of the outbox until it is told to stop: at least once, those of one key in order. */
export const deliverMessages = async (db: Database, secret: string, signal: AbortSignal): Promise<void> => {
  const deliver = async (message: Message): Promise<void> => {
    const attempts = message.attempts + 1;
    if (await send(message, secret)) {
      await db
        .deleteFrom('outbox')
        .where('seq', '=', message.seq ?? 0)
        .execute();
      return;
    }
    const due = Date.now() + Math.min(1000 * 2 ** message.attempts, LONGEST_PAUSE_MS);
    const dead = attempts < MAX_ATTEMPTS ? 0 : 1;
    await db
      .updateTable('outbox')
      .set({ attempts, due, dead })
      .where('seq', '=', message.seq ?? 0)
      .execute();
  };
  while (!signal.aborted) {
    const due = await db
      .selectFrom('outbox')
      .selectAll()
      .where('seq', 'in', ({ selectFrom }) =>
        selectFrom('outbox')
          .select(({ fn }) => fn.min('seq').as('seq'))
          .where('dead', '=', 0)
          .groupBy('key'),
      )
      .where('due', '<=', Date.now())
      .orderBy('seq')
      .limit(AT_ONCE)
      .execute();
    await Promise.all(due.map(deliver));
    if (due.length === 0) await sleep(POLL_MS, undefined, { signal }).catch(() => {});
  }
};
