import { randomBytes } from 'node:crypto';

/** An id from outside may contain only these characters, so that it is safe in a header, a log and a shell. */
const SAFE_ID = /^[\w.~+/=:-]{1,128}$/;

/**
 * Creates ids of requests. A safe id that a client sends is kept, so that a request can be traced across services.
 * Otherwise the id is made of a random number of this process and a counter.
 */
export const createRequestIds = () => {
  const prefix = randomBytes(8).readBigUInt64LE().toString(36);
  let count = 0;
  return (sent?: string | string[]): string => {
    if (typeof sent === 'string' && SAFE_ID.test(sent)) return sent;
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
};
