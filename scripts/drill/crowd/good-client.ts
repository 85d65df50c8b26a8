/**
 * A well-behaved client in its own process. It creates one plant after the other on a kept connection, and requests
 * /healthz on new connections at intervals.
 */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { onQuestion } from '../measure/child-side.ts';
import { summarize, withMissing } from '../measure/latency.ts';

/** Milliseconds between an answer and the next request, and between requests when answers are fast. */
const PAUSE = { create: 2, health: 20 };
const EVERY = { create: 10, health: 25 };

interface ClientRequest {
  readonly url: string;
  readonly agent: Agent | false;
  readonly method?: string;
  readonly token?: string;
  readonly body?: string;
}

const statusOf = ({ url, agent, method = 'GET', token, body }: ClientRequest): Promise<number> =>
  new Promise((resolve) => {
    const headers =
      body === undefined ? {} : { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    request(url, { agent, method, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', () => resolve(0));
    })
      .on('error', () => resolve(0))
      .end(body);
  });

/** Sends the same kind of request in a loop, and records the response times. */
const createLoop = (send: (nth: number) => Promise<number>, pause: number, every: number) => {
  let waits: number[] = [];
  let failures: number[] = [];
  let sentAt: number | undefined;
  const run = async (): Promise<void> => {
    for (let nth = 1; ; nth += 1) {
      sentAt = performance.now();
      const status = await send(nth);
      if (status === 200) waits.push(performance.now() - sentAt);
      else failures.push(status);
      sentAt = undefined;
      await sleep(pause);
    }
  };
  void run();
  return {
    mark(): void {
      waits = [];
      failures = [];
    },
    /** A request that still waits counts with its wait so far. */
    read: () => ({
      ...summarize(withMissing(sentAt === undefined ? waits : [...waits, performance.now() - sentAt], every)),
      answered: waits.length,
      failures: failures.length,
      statuses: [...new Set(failures)],
    }),
  };
};

type Loop = ReturnType<typeof createLoop>;

const NO_LOOP: Loop = {
  mark() {},
  read: () => ({ ...summarize([]), answered: 0, failures: 0, statuses: [] }),
};
let creates = NO_LOOP;
let health = NO_LOOP;

const start = (url: string, token: string | undefined): void => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const body = (nth: number) => `{"id":${nth},"name":"plant ${nth}"}`;
  if (token !== undefined)
    creates = createLoop(
      (nth) => statusOf({ url: `${url}/plants`, agent, method: 'POST', token, body: body(nth) }),
      PAUSE.create,
      EVERY.create,
    );
  health = createLoop(() => statusOf({ url: `${url}/healthz`, agent: false }), PAUSE.health, EVERY.health);
};

onQuestion((question, url, token) => {
  if (question === 'start') return start(String(url), token === undefined ? undefined : String(token));
  if (question === 'read') return { creates: creates.read(), health: health.read() };
  creates.mark();
  health.mark();
});
