import { connect } from 'node:net';
import { codeOf } from '../../../src/contract/problems/error-code.ts';

/** The answer to a request. */
export interface Answer {
  /** `undefined` if there was no answer. */
  readonly status: number | undefined;
  readonly milliseconds: number;
  /** Why there was no answer. */
  readonly broke: string | undefined;
}

/** The reason after a timeout. */
export const NO_ANSWER = 'no answer in time';

const readHead = (text: string) => {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = text.slice(0, end);
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(head) ?? [];
  const [, length = '0'] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
  return { status: Number(status), size: end + 4 + Number(length) };
};

/** Sends a request on a new connection, and awaits the whole answer. */
export const exchange = (port: number, bytes: Buffer, timeout: number): Promise<Answer> =>
  new Promise((resolve) => {
    const started = performance.now();
    const chunks: Buffer[] = [];
    let size = 0;
    let head: ReturnType<typeof readHead>;
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const settle = (broke: string | undefined) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({
        status: head?.status,
        milliseconds: performance.now() - started,
        broke: head ? undefined : broke,
      });
    };
    const timer = setTimeout(() => settle(NO_ANSWER), timeout);
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      size += chunk.length;
      head ??= readHead(Buffer.concat(chunks).toString('latin1'));
      if (head && size >= head.size) settle(undefined);
    });
    socket.on('error', (error) => settle(codeOf(error) || error.message));
    socket.on('close', () => settle('closed'));
    socket.write(bytes);
  });
