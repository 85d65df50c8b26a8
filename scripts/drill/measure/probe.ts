/** Requests /healthz of services every few milliseconds, and records the response times. Runs in its own process. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { onQuestion } from './child-side.ts';
import { summarize } from './latency.ts';

/** Milliseconds between an answer and the next probe. */
const EVERY = 4;
const REQUEST = 'GET /healthz HTTP/1.1\r\nHost: drill\r\n\r\n';

const createProbe = (port: number) => {
  let waits: number[] = [];
  let sentAt = 0;
  /** When the last probe that was answered was sent. */
  let lastAnswered = 0;
  let isWaiting = false;
  let watched = true;
  let socket: Socket | undefined;

  const open = (): Socket => connect({ port, host: '127.0.0.1', noDelay: true }).on('error', () => {});

  const probeOnce = (): Promise<boolean> =>
    new Promise((resolve) => {
      if (!socket?.writable) socket = open();
      const connection = socket;
      const settle = (isAnswered: boolean) => {
        connection.off('data', succeed).off('end', fail).off('close', fail);
        if (!isAnswered) connection.destroy();
        resolve(isAnswered);
      };
      const succeed = () => settle(true);
      const fail = () => settle(false);
      connection.once('data', succeed).once('end', fail).once('close', fail).write(REQUEST);
    });

  const run = async (): Promise<void> => {
    while (watched) {
      sentAt = performance.now();
      isWaiting = true;
      const isAnswered = await probeOnce();
      isWaiting = false;
      if (isAnswered) {
        lastAnswered = sentAt;
        waits.push(performance.now() - sentAt);
      }
      await sleep(EVERY);
    }
    socket?.destroy();
  };
  void run();

  return {
    mark(): void {
      waits = [];
    },
    /** The response times since the mark. Awaits the answer to one more probe, up to the timeout, and includes it. */
    async read(timeout: number) {
      const start = performance.now();
      while (lastAnswered < start && performance.now() - start < timeout) await sleep(1);
      return summarize(lastAnswered < start && isWaiting ? [...waits, performance.now() - sentAt] : waits);
    },
    end(): void {
      watched = false;
    },
  };
};

const probes = new Map<string, ReturnType<typeof createProbe>>();

onQuestion(async (question, ...given) => {
  if (question === 'watch') {
    probes.get(String(given[0]))?.end();
    probes.set(String(given[0]), createProbe(Number(given[1])));
    return;
  }
  if (question === 'mark') {
    for (const { mark } of probes.values()) mark();
    return;
  }
  const names = [...probes.keys()];
  const read = await Promise.all([...probes.values()].map((probe) => probe.read(Number(given[0]))));
  return Object.fromEntries(names.map((name, index) => [name, read[index]]));
});
