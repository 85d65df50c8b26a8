/** Connections that mean harm, in a process of their own. Each is opened again a moment after it is closed. */
import { connect, type Socket } from 'node:net';
import { answerWith } from '../measure/answering.ts';

const AGAIN_AFTER = 500;
/** They do not come all at once, but within this. */
const ARRIVAL = 1000;
const SLOWLY = 1000;

/** Each crowd has a number; those of an earlier one do not come back. */
let crowd = 1;
const sockets = new Set<Socket>();

/** What one connection does from the moment that it is open. */
type Behave = (socket: Socket, nth: number) => void;

const CONTRACT = 'GET /openapi.json HTTP/1.1\r\nHost: drill\r\n\r\n';
const PLANT = '{"id":1,"name":"a"}';
const post = (fields: string): string =>
  `POST /plants HTTP/1.1\r\nHost: drill\r\nContent-Type: application/json\r\n${fields}`;
const create = (token: string): string =>
  `${post(`${token}Content-Length: ${PLANT.length}`)}\r\n\r\n${PLANT}`;

/** Writes the same as often as it is taken. */
const pour = (socket: Socket, bytes: Buffer): void => {
  const write = (): void => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', () => setImmediate(write));
  write();
};

/** Asks ahead, and never reads. */
const neverRead =
  (token: string): Behave =>
  (socket, nth) => {
    const asked =
      ['GET /openapi.json HTTP/1.1\r\nHost: drill\r\n\r\n', create(token), create('')][nth % 3] ?? '';
    pour(socket, Buffer.from(asked.repeat(16)));
  };

/** Asks for the contract as often as a connection may, which is more than the system keeps for it, and never reads it. */
const askForContract: Behave = (socket) => {
  socket.write(CONTRACT.repeat(16));
};

const CHUNK = Buffer.from(`10000\r\n${'a'.repeat(65_536)}\r\n`);

/** Sends a body without end and without a token. */
const endless: Behave = (socket) => {
  socket.resume();
  socket.write(`${post('Transfer-Encoding: chunked')}\r\n\r\n`);
  pour(socket, CHUNK);
};

/** Sends a byte of a header, or of a body, now and then. */
const slow =
  (token: string): Behave =>
  (socket, nth) => {
    socket.resume();
    socket.write(
      nth % 2 === 0 ? 'GET /healthz HTTP/1.1\r\nX: ' : `${post(`${token}Content-Length: 100000`)}\r\n\r\n`,
    );
    const timer = setInterval(() => socket.write('1'), SLOWLY);
    socket.once('close', () => clearInterval(timer));
  };

const behaviours: Readonly<Record<string, (token: string) => Behave>> = {
  'never read': neverRead,
  'ask for the contract': () => askForContract,
  endless: () => endless,
  slow,
};

const open = (port: number, behave: Behave, nth: number, mine: number): void => {
  if (mine !== crowd) return;
  const socket = connect({ port, host: '127.0.0.1' });
  sockets.add(socket);
  socket.on('error', () => {});
  socket.once('connect', () => behave(socket, nth));
  socket.once('close', () => {
    sockets.delete(socket);
    setTimeout(open, AGAIN_AFTER, port, behave, nth, mine);
  });
};

answerWith((question, kind, count, port, token) => {
  if (question === 'open') {
    const behave = behaviours[String(kind)]?.(`Authorization: Bearer ${token}\r\n`);
    for (let nth = 0; behave && nth < Number(count); nth += 1)
      setTimeout(open, (ARRIVAL * nth) / Number(count), Number(port), behave, nth, crowd);
    return;
  }
  crowd += 1;
  for (const socket of sockets) socket.destroy();
});
