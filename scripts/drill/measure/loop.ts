/** Well-behaved clients in their own process. Each sends one kind of request in a loop, and records the response times. */
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, HOST, open, writeCreate, writeRequest } from '../wire.ts';
import { onQuestion } from './child.ts';
import { type Seen, summarize, withMissing } from './latency.ts';

const HEALTH = writeRequest('GET /healthz HTTP/1.1', [HOST]);

/** What a client sends. Pauses are from an answer to the next request, and intervals hold when answers are fast. */
const KINDS = {
  creates: {
    pause: 2,
    every: 10,
    isKept: true,
    write: (nth: number) => writeCreate(`{"id":${nth},"name":"plant ${nth}"}`),
  },
  health: { pause: 20, every: 25, isKept: false, write: () => HEALTH },
  probe: { pause: 4, every: 5, isKept: true, write: () => HEALTH },
} as const;

const isKind = (name: unknown): name is keyof typeof KINDS =>
  typeof name === 'string' && Object.hasOwn(KINDS, name);

const startLoop = (kind: keyof typeof KINDS, port: number) => {
  const { pause, every, isKept, write } = KINDS[kind];
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
      const { status, isLast } = await ask(socket, write(nth)).catch(() => ({ status: 0, isLast: true }));
      if (status === 200) waits.push(performance.now() - sent);
      else failures.push(status);
      if (status > 0) lastAnswered = sent;
      sentAt = undefined;
      if (!isKept || isLast) socket.destroy();
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
    /** A request that still waits counts with its wait so far. Within the timeout, one more answer is awaited. */
    async read(timeout: number): Promise<Seen> {
      const start = performance.now();
      while (lastAnswered < start && performance.now() - start < timeout) await sleep(1);
      const waiting = sentAt === undefined || lastAnswered >= start ? [] : [performance.now() - sentAt];
      return {
        ...summarize(withMissing([...waits, ...waiting], every)),
        answered: waits.length,
        failures: failures.length,
        statuses: [...new Set(failures)],
      };
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
