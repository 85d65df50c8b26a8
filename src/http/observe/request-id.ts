import { randomBytes } from 'node:crypto';

/** What an id from elsewhere may be made of, so that it is safe in a header, a log and a shell. */
const SANE = /^[\w.~+/=:-]{1,128}$/;

/**
 * Names requests. An id that came with a request is kept, so that it can be followed from service to service; one
 * that is not sane is replaced. Ours are a number of this process, drawn once, and one of this request, counted.
 */
export const createRequestIds = () => {
  const service = randomBytes(8).readBigUInt64LE().toString(36);
  let count = 0;
  return (sent?: string | string[]): string => {
    if (typeof sent === 'string' && SANE.test(sent)) return sent;
    count += 1;
    return `${service}-${count.toString(36)}`;
  };
};
