import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** Starts a service that answers with bytes, so that it can break HTTP itself. Requests must have no body. */
export const startRaw = async (answer: (socket: Socket, nth: number, head: string) => void) => {
  const heads: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (bytes: Buffer) => {
      heads.push(bytes.toString('latin1'));
      answer(socket, heads.length, heads.at(-1) ?? '');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    /** The heads of the requests so far. */
    heads,
    /** How many connections are open. */
    connections: () => sockets.size,
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
};

/** A reply as bytes. */
export const reply = (status: number, body: string, ...fields: string[]): string =>
  [`HTTP/1.1 ${status} Said`, ...fields, '', body].join('\r\n');

/** A reply with a body and its length. */
export const right = (body: string, ...fields: string[]): string =>
  reply(200, body, `Content-Length: ${Buffer.byteLength(body)}`, ...fields);
