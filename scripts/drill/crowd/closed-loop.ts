/** Clients that each create one plant after the other on a kept connection. All of them share one process. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { onQuestion } from '../measure/child.ts';
import { summarize } from '../measure/latency.ts';
import { ask, open, writeCreate } from '../wire.ts';

/** How long a client waits after a refusal, in milliseconds. */
const AFTER_REFUSAL = 250;

/** Above the ids of the other clients. */
const FIRST_ID = 1_000_000_000;

let running = false;
/** When each client sent the request that it waits for. */
let sentAt: (number | undefined)[] = [];
const served: number[] = [];
const connects: number[] = [];
const counts = { refused: 0, unanswered: 0, unconnected: 0, wrong: 0 };

const connectTo = async (port: number): Promise<Socket | undefined> => {
  const started = performance.now();
  const socket = open(port);
  try {
    await once(socket, 'connect');
    connects.push(performance.now() - started);
    return socket;
  } catch {
    return undefined;
  }
};

const run = async (port: number, nth: number): Promise<void> => {
  let socket: Socket | undefined;
  for (let round = 0; running; round += 1) {
    const request = writeCreate(`{"id":${FIRST_ID + nth * 100_000 + round},"name":"plant"}`);
    const sent = performance.now();
    sentAt[nth] = sent;
    if (!socket?.writable) socket = await connectTo(port);
    if (!socket) {
      counts.unconnected += 1;
      await sleep(AFTER_REFUSAL);
      continue;
    }
    const answer = await ask(socket, request).catch(() => undefined);
    if (!running) break; // stopped meanwhile
    sentAt[nth] = undefined;
    if (answer?.status === 200) served.push(performance.now() - sent);
    else counts[!answer ? 'unanswered' : answer.status === 503 ? 'refused' : 'wrong'] += 1;
    if (!answer || answer.isLast) socket.destroy();
    if (answer?.status !== 200) await sleep(AFTER_REFUSAL);
  }
  socket?.destroy();
};

onQuestion((question, clients, port) => {
  if (question === 'start') {
    running = true;
    sentAt = Array.from({ length: Number(clients) }, () => undefined);
    for (let nth = 0; nth < sentAt.length; nth += 1) void run(Number(port), nth);
    return;
  }
  running = false;
  const now = performance.now();
  const waiting = sentAt.flatMap((each) => (each === undefined ? [] : [now - each]));
  return { served: summarize(served), connects: summarize(connects), waiting: summarize(waiting), ...counts };
});
