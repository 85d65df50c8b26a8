/** Good clients in their own process. Each sends one kind of request in a loop, and records the response times. */
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, HEALTH, open, writeCreate } from '../wire.ts';
import { onQuestion } from './child.ts';
import type { GoodClient, Seen } from './good-clients.ts';

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
  let isRunning = true;
  let waits: number[] = [];
  let failures: number[] = [];
  /** When the request that waits for its answer was sent, and when the last one that got its answer was. */
  let sentAt: number | undefined;
  let lastAnswered = 0;

  const run = async (): Promise<void> => {
    let socket: Socket | undefined;
    for (let nth = 1; isRunning; nth += 1) {
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
    socket?.destroy();
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
    stop(): void {
      isRunning = false;
    },
  };
};

const loops = new Map<unknown, ReturnType<typeof startLoop>>();

onQuestion(async (question, name, kind, port) => {
  if (question === 'read') {
    const read = await Promise.all(
      [...loops].map(async ([each, loop]) => [each, await loop.read(Number(name))]),
    );
    return Object.fromEntries(read);
  }
  if (question === 'mark') for (const loop of loops.values()) loop.mark();
  if (question === 'start' || question === 'stop') loops.get(name)?.stop();
  if (question === 'stop') loops.delete(name);
  if (question === 'start' && isKind(kind)) loops.set(name, startLoop(kind, Number(port)));
});
