import { connect, type Socket } from 'node:net';
import { TOKEN } from './plant-store.ts';
import { parseReplies, type WireReply } from './replies.ts';

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
export const writeCreate = (plant: string): Buffer =>
  writeRequest('POST /plants HTTP/1.1', [...GOOD_FIELDS, lengthOf(plant)], plant);

/** Connects to a port, of this machine unless told. Whoever asks on the connection learns of its errors, and destroys it. */
export const open = (port: number, host = '127.0.0.1'): Socket =>
  connect({ port, host, noDelay: true, allowHalfOpen: true }).on('error', () => {});

/** Sends requests on a connection, and awaits so many whole replies. Rejects if the connection ends before. */
export const ask = (socket: Socket, requests: Buffer, count = 1): Promise<readonly WireReply[]> =>
  new Promise((resolve, reject) => {
    const replies: WireReply[] = [];
    let rest: Buffer = Buffer.alloc(0);
    const settle = (error?: Error): void => {
      socket.off('data', read).off('error', settle).off('end', close).off('close', close);
      if (error) reject(error);
      else resolve(replies);
    };
    const close = () => settle(new Error('closed'));
    const read = (chunk: Buffer): void => {
      rest = Buffer.concat([rest, chunk]);
      const parsed = parseReplies(rest);
      replies.push(...parsed.replies);
      rest = rest.subarray(parsed.end);
      if (replies.length >= count) settle();
    };
    socket.on('data', read).on('error', settle).on('end', close).on('close', close);
    socket.write(requests);
  });
