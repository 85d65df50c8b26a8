/** Good clients in their own process. Each sends one kind of request in a loop, and records the response times. */
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, HEALTH, open, writeCreate } from '../wire.ts';
import { onQuestion } from './child.ts';
import { GOOD_CLIENTS, type GoodClient, type Seen } from './good-clients.ts';

/** Above the ids of the cases. */
const FIRST_ID = 1_000_000_000;

/** What a client sends, and the pause in milliseconds from an answer to the next request. */
const KINDS = {
  creates: {
    pause: 4,
    isKept: true,
    write: (nth: number) => writeCreate(`{"id":${FIRST_ID + nth},"name":"plant ${nth}"}`),
  },
  '/healthz': { pause: 4, isKept: false, write: () => HEALTH },
} as const satisfies Record<GoodClient, object>;

const isKind = (name: unknown): name is GoodClient => typeof name === 'string' && Object.hasOwn(KINDS, name);

const startLoop = (kind: GoodClient, port: number) => {
  const { pause, isKept, write } = KINDS[kind];
  let waits: number[] = [];
  let failures: number[] = [];
  /** When the request that waits for its answer was sent, and when the last one that got its answer was. */
  let sentAt: number | undefined;
  let lastAnswered = 0;

  const run = async (): Promise<void> => {
    let socket: Socket | undefined;
    for (let nth = 1; ; nth += 1) {
      const sent = performance.now();
      sentAt = sent;
      if (!socket?.writable) socket = open(port);
      const [reply] = await ask(socket, write(nth)).catch(() => []);
      const status = reply?.status ?? 0;
      if (status === 200) waits.push(performance.now() - sent);
      else failures.push(status);
      if (status > 0) lastAnswered = sent;
      sentAt = undefined;
      if (!isKept || !reply || reply.headers.get('connection') === 'close') socket.destroy();
      await sleep(pause);
    }
  };
  void run();

  return {
    mark(): void {
      waits = [];
      failures = [];
    },
    /** Within the timeout, one more answer is awaited. */
    async read(timeout: number): Promise<Seen> {
      const start = performance.now();
      while (lastAnswered < start && performance.now() - start < timeout) await sleep(1);
      const waiting = sentAt === undefined || lastAnswered >= start ? 0 : performance.now() - sentAt;
      return { slowest: Math.max(waiting, ...waits), answered: waits.length, failures };
    },
  };
};

const loops = new Map<GoodClient, ReturnType<typeof startLoop>>();

/** What is seen where nothing was sent. */
const NOTHING: Seen = { slowest: 0, answered: 0, failures: [] };

onQuestion(async (question, argument, ...clients) => {
  if (question === 'start')
    for (const client of clients.filter(isKind)) loops.set(client, startLoop(client, Number(argument)));
  if (question === 'mark') for (const loop of loops.values()) loop.mark();
  if (question !== 'read') return null;
  const seen = GOOD_CLIENTS.map(async (client) => [
    client,
    (await loops.get(client)?.read(Number(argument))) ?? NOTHING,
  ]);
  return Object.fromEntries(await Promise.all(seen));
});
