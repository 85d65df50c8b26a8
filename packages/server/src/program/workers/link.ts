import type { Worker } from 'node:cluster';
import type { Metrics } from '../../http/observe/metrics.ts';

/** The calls from a worker to the process that started it. */
export type GroupCalls = {
  /** Tells that the worker is about to stop listening, and gives whether it is the last to do so. */
  readonly leave: () => Promise<boolean>;
  /**
   * Settles once it is the turn of this worker to run the background tasks. It has the turn until it ends it, or until
   * its process ends. So no message that is late or lost gives two workers the turn.
   */
  readonly takeTurn: () => Promise<void>;
  /** Ends the turn of this worker, or its wait for it. */
  readonly endTurn: () => Promise<void>;
  /** The metrics of all processes together. */
  readonly renderMetrics: Metrics['render'];
};

/** The calls to a worker from the process that started it, once the worker listens. It stops a worker with SIGTERM. */
export type MemberCalls = {
  readonly collectMetrics: Metrics['collect'];
};

/** Functions that another process can call. Their results are copied, as for a thread. */
export type Calls = Readonly<Record<string, () => Promise<unknown>>>;

/** A message from the other process: a call, or the outcome of a call to it. */
type Message<Served> =
  | { readonly call: number; readonly name: keyof Served }
  | { readonly outcome: number; readonly result: never }
  | { readonly outcome: number; readonly failure: unknown };

interface Waiting {
  readonly resolve: (result: never) => void;
  readonly reject: (reason: unknown) => void;
}

/** Calls a function of the other process. Rejects if that fails, or if the other process ends or has ended. */
export type Call<Others extends Calls> = <Name extends keyof Others>(
  name: Name,
) => Promise<Awaited<ReturnType<Others[Name]>>>;

/**
 * Links two processes by their channel, so that each can call functions of the other. Both create a link with their end
 * of the channel: a worker's is `cluster.worker`.
 */
export const createLink = <Others extends Calls, Served extends Calls>(
  end: Worker,
  served: Served,
): Call<Others> => {
  const waiting = new Map<number, Waiting>();
  let calls = 0;
  const rejectAll = (reason: Error): void => {
    for (const { reject } of waiting.values()) reject(reason);
    waiting.clear();
  };
  /** A message that was sent may still be lost: `disconnect` tells. */
  const send = (message: object): void =>
    void end.send(message, undefined, (error) => error && rejectAll(error));

  const serve = async (call: number, name: keyof Served): Promise<void> => {
    try {
      send({ outcome: call, result: await served[name]?.() });
    } catch (failure) {
      send({ outcome: call, failure });
    }
  };
  end.on('error', () => {}); // a message that the other process did not live to read
  end.on('message', (message: Message<Served>) => {
    if ('call' in message) return void serve(message.call, message.name);
    const { resolve, reject } = waiting.get(message.outcome) ?? {};
    waiting.delete(message.outcome);
    if ('result' in message) resolve?.(message.result);
    else reject?.(message.failure);
  });
  end.once('disconnect', () => rejectAll(new Error('the other process has ended')));

  return (name) =>
    new Promise((resolve, reject) => {
      calls += 1;
      waiting.set(calls, { resolve, reject });
      send({ call: calls, name });
    });
};
