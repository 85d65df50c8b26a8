import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Reply, WireRequest } from '../requests/draft.ts';

/** How long a service that keeps the connection open may leave it silent before the reply is taken for complete. */
const SILENCE_MS = 300;
/** More than any head of a reply. */
const MOST_BYTES = 1024 * 1024;

const open = ({ protocol, hostname, port }: URL): Socket => {
  const host = hostname.replace(/^\[|\]$/g, '');
  return protocol === 'https:'
    ? connectTls({ host, port: Number(port || 443), servername: host })
    : connect({ host, port: Number(port || 80) });
};

/** Reads everything as the reply to a request that has no body in its reply. `undefined` as long as its head is not whole. */
const parse = (bytes: Buffer): Reply | undefined => {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [start = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(start) ?? [];
  if (status === undefined) throw new Error('the reply is not HTTP');
  const body = bytes.subarray(end + 4);
  if (status.startsWith('1')) return parse(body); // an interim reply (RFC 9110, section 15.2)
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const name = line.split(':', 1).join('').toLowerCase();
    const value = line.slice(name.length + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return { status: Number(status), headers, body };
};

const write = ({ method, target, headers, body }: WireRequest): Buffer =>
  Buffer.concat([
    Buffer.from(
      [
        `${method} ${target} HTTP/1.1`,
        ...headers.map(([name, value]) => `${name}: ${value}`),
        'Connection: close\r\n\r\n',
      ].join('\r\n'),
      'latin1',
    ),
    body ?? Buffer.alloc(0),
  ]);

/** Sends a request whose reply has no body on a connection of its own, and gives every byte that follows the head as its body. */
export const sendAlone = (
  url: URL,
  request: WireRequest,
  { timeoutMs, timeout }: { readonly timeoutMs: number; readonly timeout: () => Error },
): Promise<Reply> =>
  new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0);
    const socket = open(url);
    const end = (error?: Error): void => {
      clearTimeout(timer);
      socket.destroy();
      try {
        const reply = parse(bytes);
        if (reply) resolve(reply);
        else reject(error ?? Object.assign(new Error('no reply'), { code: 'ECONNRESET' }));
      } catch (unreadable) {
        reject(unreadable);
      }
    };
    const timer = setTimeout(() => end(timeout()), timeoutMs);
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      socket.setTimeout(bytes.includes('\r\n\r\n') ? SILENCE_MS : 0);
      if (bytes.length > MOST_BYTES) end();
    });
    socket.on('timeout', () => end());
    socket.on('error', end);
    socket.on('close', () => end());
    socket.write(write(request));
  });
