/** Asks services for /healthz every few milliseconds, in a process of its own, and remembers how long each answer took. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerWith } from './answering.ts';
import { toFigures } from './figures.ts';

const EVERY = 4;
const REQUEST = 'GET /healthz HTTP/1.1\r\nHost: drill\r\n\r\n';

const createProbe = (port: number) => {
  let waits: number[] = [];
  let begun = 0;
  let last = 0;
  let isAsking = false;
  let watched = true;
  let socket: Socket | undefined;

  const open = (): Socket => connect({ port, host: '127.0.0.1', noDelay: true }).on('error', () => {});

  const askOnce = (): Promise<boolean> =>
    new Promise((resolve) => {
      if (!socket?.writable) socket = open();
      const line = socket;
      const settle = (isAnswered: boolean) => {
        line.off('data', succeed).off('end', fail).off('close', fail);
        if (!isAnswered) line.destroy();
        resolve(isAnswered);
      };
      const succeed = () => settle(true);
      const fail = () => settle(false);
      line.once('data', succeed).once('end', fail).once('close', fail).write(REQUEST);
    });

  const run = async (): Promise<void> => {
    while (watched) {
      begun = performance.now();
      isAsking = true;
      const isAnswered = await askOnce();
      isAsking = false;
      if (isAnswered) {
        last = begun;
        waits.push(performance.now() - begun);
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
    /** What was seen since the mark, once a probe that begins now is answered; or after so long, with the wait so far. */
    async read(patience: number) {
      const asked = performance.now();
      while (last < asked && performance.now() - asked < patience) await sleep(1);
      return toFigures(last < asked && isAsking ? [...waits, performance.now() - begun] : waits);
    },
    end(): void {
      watched = false;
    },
  };
};

const probes = new Map<string, ReturnType<typeof createProbe>>();

answerWith(async (question, ...given) => {
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
