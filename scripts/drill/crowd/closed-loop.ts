/** Clients that each create one plant after the other on a kept connection. All of them share one process. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { onQuestion } from '../measure/child-side.ts';
import { summarize } from '../measure/latency.ts';

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

const isWhole = (text: string): boolean => {
  const end = text.indexOf('\r\n\r\n');
  const [, length = '0'] = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end)) ?? [];
  return end >= 0 && Buffer.byteLength(text) >= end + 4 + Number(length);
};

/** Sends a request on a connection. Returns nothing if there is no answer. */
const ask = (socket: Socket, request: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    let text = '';
    const settle = (answer: string | undefined) => {
      socket.off('data', read).off('close', fail).off('end', fail);
      resolve(answer);
    };
    const read = (chunk: Buffer) => {
      text += chunk;
      if (isWhole(text)) settle(text);
    };
    const fail = () => settle(undefined);
    socket.on('data', read).on('close', fail).on('end', fail).write(request);
  });

const open = (port: number): Promise<Socket | undefined> =>
  new Promise((resolve) => {
    const started = performance.now();
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.on('error', () => resolve(undefined));
    socket.once('connect', () => {
      connects.push(performance.now() - started);
      resolve(socket);
    });
  });

const count = (answer: string | undefined, waited: number): void => {
  const status = answer?.slice(9, 12);
  if (status === '200') served.push(waited);
  else if (status === '503') counts.refused += 1;
  else if (status === undefined) counts.unanswered += 1;
  else counts.wrong += 1;
};

const run = async (port: number, token: string, nth: number): Promise<void> => {
  let socket: Socket | undefined;
  for (let round = 0; running; round += 1) {
    const body = `{"id":${FIRST_ID + nth * 100_000 + round},"name":"plant"}`;
    const request = `POST /plants HTTP/1.1\r\nHost: drill\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    sentAt[nth] = performance.now();
    if (!socket?.writable) socket = await open(port);
    if (!socket) {
      counts.unconnected += 1;
      await sleep(AFTER_REFUSAL);
      continue;
    }
    const answer = await ask(socket, request);
    if (!running) break; // stopped meanwhile
    count(answer, performance.now() - (sentAt[nth] ?? 0));
    sentAt[nth] = undefined;
    if (!answer || /\r\nconnection: close/i.test(answer)) socket.destroy();
    if (answer?.slice(9, 12) !== '200') await sleep(AFTER_REFUSAL);
  }
  socket?.destroy();
};

onQuestion((question, clients, port, token) => {
  if (question === 'start') {
    running = true;
    sentAt = Array.from({ length: Number(clients) }, () => undefined);
    for (let nth = 0; nth < sentAt.length; nth += 1) void run(Number(port), String(token), nth);
    return;
  }
  running = false;
  const now = performance.now();
  const waiting = sentAt.flatMap((each) => (each === undefined ? [] : [now - each]));
  return { served: summarize(served), connects: summarize(connects), waiting: summarize(waiting), ...counts };
});
