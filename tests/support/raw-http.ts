import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Opens a connection to a service on this machine. */
export const openSocket = async (port: number): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
};

/** Everything that the other side sends until it closes the connection. */
export const readToEnd = async (socket: Socket): Promise<string> => {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => {}); // a reset after the answer is no failure of the test
  if (!socket.closed) await once(socket, 'close');
  return Buffer.concat(chunks).toString('utf8');
};

/** Sends bytes as they are and gives back everything that was answered until the service closed. */
export const exchange = async (port: number, bytes: string | Uint8Array): Promise<string> => {
  const socket = await openSocket(port);
  const answer = readToEnd(socket);
  socket.write(bytes);
  return answer;
};

/** The status and the parsed JSON body of the last reply in a raw answer. */
export const parseReply = (answer: string): { status: number; head: string; body: unknown } => {
  const start = answer.lastIndexOf('HTTP/1.1 ');
  const [head = '', text = ''] = answer.slice(start).split('\r\n\r\n');
  return { status: Number(head.slice(9, 12)), head, body: text === '' ? undefined : JSON.parse(text) };
};
