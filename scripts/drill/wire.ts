import { connect, type Socket } from 'node:net';
import { TOKEN } from './plant-store.ts';

export const HOST = 'Host: drill';
export const AUTHORIZATION = `Authorization: Bearer ${TOKEN}`;
export const JSON_TYPE = 'Content-Type: application/json';
export const CHUNKED = 'Transfer-Encoding: chunked';

/** The header fields of a valid create, except for the length of its body. */
export const GOOD_FIELDS: readonly string[] = [HOST, AUTHORIZATION, JSON_TYPE];

/** The header field with the length of a body. */
export const lengthOf = (body: Buffer | string): string => `Content-Length: ${Buffer.byteLength(body)}`;

/** Writes a request exactly as given. */
export const writeRequest = (line: string, fields: readonly string[], body: Buffer | string = ''): Buffer =>
  Buffer.concat([Buffer.from([line, ...fields, '', ''].join('\r\n'), 'latin1'), Buffer.from(body)]);

/** Writes a valid create of a plant that is given as JSON. */
export const writeCreate = (plant: string): string =>
  ['POST /plants HTTP/1.1', ...GOOD_FIELDS, lengthOf(plant), '', plant].join('\r\n');

/** Connects to a port of this machine. Whoever asks on the connection learns of its errors. */
export const open = (port: number): Socket =>
  connect({ port, host: '127.0.0.1', noDelay: true }).on('error', () => {});

/** The reply to a request. */
export interface Reply {
  readonly status: number;
  /** Whether the service closes the connection after it. */
  readonly isLast: boolean;
}

const readHead = (text: string): (Reply & { readonly size: number }) | undefined => {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = text.slice(0, end);
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(head) ?? [];
  const [, length = '0'] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
  return {
    status: Number(status),
    isLast: /\r\nconnection: close/i.test(head),
    size: end + 4 + Number(length),
  };
};

/** The reason after a timeout. */
export const NO_REPLY = 'no answer in time';

/** Sends a request on a connection, and awaits the whole reply. Rejects if the connection ends before. */
export const ask = (socket: Socket, request: Buffer | string, timeout?: number): Promise<Reply> =>
  new Promise((resolve, reject) => {
    let received: Buffer | undefined;
    const stop = (): void => {
      clearTimeout(timer);
      socket.off('data', read).off('error', fail).off('end', close).off('close', close);
    };
    const fail = (error: Error): void => {
      stop();
      reject(error);
    };
    const close = () => fail(new Error('closed'));
    const read = (chunk: Buffer): void => {
      received = received ? Buffer.concat([received, chunk]) : chunk;
      const head = readHead(received.toString('latin1', 0, 16_384));
      if (!head || received.length < head.size) return;
      stop();
      resolve(head);
    };
    const timer = timeout === undefined ? undefined : setTimeout(() => fail(new Error(NO_REPLY)), timeout);
    socket.on('data', read).on('error', fail).on('end', close).on('close', close);
    socket.write(request);
  });
