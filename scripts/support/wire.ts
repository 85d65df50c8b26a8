import { connect, type Socket } from 'node:net';

/** The header field with the length of a body. */
export const lengthOf = (body: string): string => `Content-Length: ${Buffer.byteLength(body)}`;

/** Writes a request exactly as given. */
export const writeRequest = (line: string, fields: readonly string[], body = ''): string =>
  [line, ...fields, '', body].join('\r\n');

/** Connects to a port. Errors are reported to the request on the connection, which destroys it. */
export const open = (port: number, host: string): Socket =>
  connect({ port, host, noDelay: true, allowHalfOpen: true }).on('error', () => {});

/** A reply of the service. */
export interface WireReply {
  readonly status: number;
  /** Whether the service closes the connection after it. */
  readonly isLast: boolean;
  readonly text: string;
}

/** Parses a reply; `undefined` while it is incomplete. Bytes that are not a reply get status 0. */
const parseReply = (bytes: Buffer): WireReply | undefined => {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const head = bytes.toString('latin1', 0, headEnd);
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(head) ?? [];
  const [, length = status === '204' ? '0' : undefined] = /^content-length: (\d+)$/im.exec(head) ?? [];
  if (status === undefined || length === undefined) return { status: 0, isLast: true, text: head };
  const [start, end] = [headEnd + 4, headEnd + 4 + Number(length)];
  if (bytes.length < end) return undefined;
  const isLast = /^connection: close$/im.test(head);
  return { status: Number(status), isLast, text: bytes.toString('utf8', start, end) };
};

/** Sends a request on a connection, and awaits the whole reply. Rejects if the connection ends before. */
export const ask = (socket: Socket, request: string): Promise<WireReply> =>
  new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0);
    const stop = () =>
      socket.off('data', read).off('error', fail).off('end', failClosed).off('close', failClosed);
    const fail = (error: Error): void => {
      stop();
      reject(error);
    };
    const failClosed = () => fail(new Error('closed'));
    const read = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      const reply = parseReply(bytes);
      if (!reply) return;
      stop();
      resolve(reply);
    };
    socket.on('data', read).on('error', fail).on('end', failClosed).on('close', failClosed);
    socket.write(request);
  });
