import { once } from 'node:events';
import { type DeliverEvent, fromPayload } from './event.ts';
import type { Head } from './queue.ts';

/** Creates what makes attempts to deliver events, each within a time. */
export const createAttempts = (timeout: number) => {
  const ongoing = new Set<AbortController>();
  return {
    /** Rejects if the event is not delivered; when its time is over too, whatever the delivery is doing then. */
    async make(deliver: DeliverEvent, { id, topic, key, payload, created, failures }: Head): Promise<void> {
      const event = {
        id,
        topic,
        key,
        payload: fromPayload<never>(payload),
        created: new Date(Number(created)),
      };
      const controller = new AbortController();
      const { signal } = controller;
      const tooLate = new Error(`the delivery took longer than ${timeout} ms`);
      const timer = setTimeout(() => controller.abort(tooLate), timeout);
      ongoing.add(controller);
      try {
        await Promise.race([
          deliver(event, { signal, attempt: Number(failures) + 1 }),
          once(signal, 'abort').then(() => signal.throwIfAborted()),
        ]);
      } finally {
        clearTimeout(timer);
        ongoing.delete(controller);
      }
    },
    /** Aborts the attempts that are under way. */
    abort(): void {
      for (const controller of ongoing) controller.abort(new Error('the outbox stops'));
    },
  };
};
