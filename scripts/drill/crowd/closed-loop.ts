/** Clients that each create plants, one after the other, on a kept connection; all of them in one process of their own. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerWith } from '../measure/answering.ts';
import { toFigures } from '../measure/figures.ts';

/** How long a client that was refused waits before it asks again, in milliseconds. */
const AFTER_REFUSAL = 250;

/** Beyond what others have created. */
const FIRST_ID = 1_000_000_000;

let running = false;
let begun: (number | undefined)[] = [];
const served: number[] = [];
const connects: number[] = [];
const tally = { refused: 0, unanswered: 0, unconnected: 0, wrong: 0 };

const isWhole = (text: string): boolean => {
  const end = text.indexOf('\r\n\r\n');
  const [, length = '0'] = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end)) ?? [];
  return end >= 0 && Buffer.byteLength(text) >= end + 4 + Number(length);
};

/** One request on a connection; nothing if there was no answer. */
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

const openTo = (port: number): Promise<Socket | undefined> =>
  new Promise((resolve) => {
    const started = performance.now();
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.on('error', () => resolve(undefined));
    socket.once('connect', () => {
      connects.push(performance.now() - started);
      resolve(socket);
    });
  });

const settle = (answer: string | undefined, waited: number): void => {
  const status = answer?.slice(9, 12);
  if (status === '200') served.push(waited);
  else if (status === '503') tally.refused += 1;
  else if (status === undefined) tally.unanswered += 1;
  else tally.wrong += 1;
};

const run = async (port: number, token: string, nth: number): Promise<void> => {
  let socket: Socket | undefined;
  for (let round = 0; running; round += 1) {
    const body = `{"id":${FIRST_ID + nth * 100_000 + round},"name":"plant"}`;
    const request = `POST /plants HTTP/1.1\r\nHost: drill\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    begun[nth] = performance.now();
    if (!socket?.writable) socket = await openTo(port);
    if (!socket) {
      tally.unconnected += 1;
      await sleep(AFTER_REFUSAL);
      continue;
    }
    const answer = await ask(socket, request);
    if (!running) break; // cut off by ourselves
    settle(answer, performance.now() - (begun[nth] ?? 0));
    begun[nth] = undefined;
    if (!answer || /\r\nconnection: close/i.test(answer)) socket.destroy();
    if (answer?.slice(9, 12) !== '200') await sleep(AFTER_REFUSAL);
  }
  socket?.destroy();
};

answerWith((question, count, port, token) => {
  if (question === 'start') {
    running = true;
    begun = Array.from({ length: Number(count) }, () => undefined);
    for (let nth = 0; nth < begun.length; nth += 1) void run(Number(port), String(token), nth);
    return;
  }
  running = false;
  const now = performance.now();
  const waiting = begun.flatMap((each) => (each === undefined ? [] : [now - each]));
  return { served: toFigures(served), connects: toFigures(connects), waiting: toFigures(waiting), ...tally };
});
