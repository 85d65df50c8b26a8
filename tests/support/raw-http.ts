import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { TOKEN } from '../../packages/server/tests/support/service.ts';

/** Opens a connection to a service on this machine. Half open, it may keep sending after the other side has ended. */
export const openSocket = async (port: number, { allowHalfOpen = false } = {}): Promise<Socket> => {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen });
  await once(socket, 'connect');
  return socket;
};

/** Opens `count` connections. */
export const openMany = (port: number, count: number) =>
  Promise.all(Array.from({ length: count }, () => openSocket(port)));

/** Sends a request on an open connection, and gives the answer to it. */
export const ask = (client: Socket, request: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let answer = '';
    const read = (chunk: Buffer) => {
      answer += chunk;
      const [top = '', body = ''] = answer.split('\r\n\r\n');
      if (body === '' || body.length < Number(/content-length: (\d+)/i.exec(top)?.[1])) return;
      client.off('data', read);
      resolve(answer);
    };
    client.on('data', read).removeAllListeners('error').on('error', reject);
    client.write(request);
  });

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

/** The head of a request, with a Host and the given fields. */
export const head = (start: string, ...fields: string[]): string =>
  [`${start} HTTP/1.1`, 'Host: test', ...fields, '', ''].join('\r\n');

/** The head of a POST with a valid token, and the fields that a test is about. */
export const postHeadTo = (path: string, ...fields: string[]): string =>
  head(`POST ${path}`, `Authorization: Bearer ${TOKEN}`, 'Content-Type: application/json', ...fields);

/** The head of POST /things. */
export const postHead = (...fields: string[]): string => postHeadTo('/things', ...fields);

/** A whole POST /things with a valid token. */
export const postRequest = (body: string, ...fields: string[]): string =>
  postHead(`Content-Length: ${Buffer.byteLength(body)}`, ...fields) + body;

/** The status and the parsed JSON body of the last reply in a raw answer. */
export const parseReply = (answer: string): { status: number; head: string; body: unknown } => {
  const start = answer.lastIndexOf('HTTP/1.1 ');
  const [head = '', text = ''] = answer.slice(start).split('\r\n\r\n');
  return { status: Number(head.slice(9, 12)), head, body: text === '' ? undefined : JSON.parse(text) };
};

/** A reply as it came over the wire. */
export interface RawReply {
  readonly status: number;
  readonly type: string | null;
  readonly body: unknown;
}

/** Every reply in a raw answer, cut where Content-Length says: a wrong one leaves a body that does not parse. */
export const parseReplies = (answer: string): RawReply[] => {
  const replies: RawReply[] = [];
  for (let rest = Buffer.from(answer); rest.length > 0; ) {
    const bodyStart = rest.indexOf('\r\n\r\n') + 4;
    const [start = '', ...lines] = rest.toString('utf8', 0, bodyStart).trimEnd().split('\r\n');
    if (!/^HTTP\/1\.1 \d{3} /.test(start)) throw new Error(`not a reply: ${rest}`);
    const headers = new Headers();
    for (const line of lines)
      headers.append(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1));
    const bodyEnd = bodyStart + Number(headers.get('content-length'));
    const text = rest.toString('utf8', bodyStart, bodyEnd);
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    replies.push({ status: Number(start.slice(9, 12)), type: headers.get('content-type'), body });
    rest = rest.subarray(bodyEnd);
  }
  return replies;
};
