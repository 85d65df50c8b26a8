import { codeOf } from '../../../src/contract/problems/error-code.ts';
import { ask, open } from '../wire.ts';

/** The answer to a request. */
export interface Answer {
  /** `undefined` if there was no answer. */
  readonly status: number | undefined;
  readonly milliseconds: number;
  /** Why there was no answer. */
  readonly broke: string | undefined;
}

/** Sends a request on a new connection, and awaits the whole answer. */
export const exchange = async (port: number, bytes: Buffer, timeout: number): Promise<Answer> => {
  const started = performance.now();
  const socket = open(port);
  const answer = await ask(socket, bytes, timeout).catch((error: Error) => codeOf(error) || error.message);
  socket.destroy();
  const milliseconds = performance.now() - started;
  return typeof answer === 'string'
    ? { status: undefined, milliseconds, broke: answer }
    : { status: answer.status, milliseconds, broke: undefined };
};
