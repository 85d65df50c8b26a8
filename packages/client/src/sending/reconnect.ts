/** Reopens event streams. */

import { toByteText } from '../credentials.ts';
import type { ClientEvent } from '../receiving/sequences.ts';
import { UnexpectedReply } from '../unexpected-reply.ts';
import { backOff, type RetryOptions, sleep } from './retry.ts';

/** Members to pass on in each request of a reopened stream. */
export interface Reopening {
  /** `Last-Event-ID`, once there was an event with an id. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/**
 * Yields the events of a stream, and reopens the stream whenever it ends or breaks. `open` returns the events, or
 * `undefined` to stop. It gives up after `limit` attempts in a row without an event.
 *
 * @example
 * const sales = reconnect(async (again) => (await client.watchSales(again)).body);
 * for await (const { id, data } of sales) console.log(id, data);
 */
export async function* reconnect<Event extends ClientEvent<unknown, unknown>>(
  open: (again: Reopening) => Promise<AsyncIterable<Event> | undefined>,
  {
    limit = 10,
    delay = 3000,
    longest = 30_000,
    signal,
  }: Omit<RetryOptions, 'isSafe'> & { readonly signal?: AbortSignal } = {},
): AsyncGenerator<Event, void> {
  let [lastId, wait] = ['', delay];
  for (let failures = 0; ; failures += 1) {
    try {
      const headers = lastId ? { 'last-event-id': toByteText(lastId) } : {};
      const events = await open(signal ? { headers, signal } : { headers });
      if (!events) return;
      for await (const event of events) {
        lastId = event.id ?? lastId;
        wait = event.retry ?? wait;
        failures = 0;
        yield event;
      }
      if (failures >= limit) return;
    } catch (error) {
      if (failures >= limit || signal?.aborted || error instanceof UnexpectedReply) throw error;
    }
    await sleep(backOff(wait, longest, failures), signal);
  }
}
