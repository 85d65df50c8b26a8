import type { IncomingMessage } from 'node:http';
import { Problem } from '../../contract/problems/problem.ts';

/** RFC 9110, section 7.2, with the host of RFC 3986, section 3.2.2. Two of them arrive joined by `, `, which is in none. */
const HOST = /^(?:\[[\w:.~!$&'()*+,;=-]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/;

/** RFC 9112, section 6.1. Node would read either as if it were chunked and nothing else. */
const faultInCodings = (codings: string, httpVersion: string): string | undefined => {
  if (httpVersion === '1.0') return 'HTTP/1.0 has no Transfer-Encoding';
  return codings.toLowerCase() === 'chunked'
    ? undefined
    : 'this Transfer-Encoding is not supported; use chunked';
};

/** RFC 9112, section 3.2. */
const faultInHost = (host: string | undefined, httpVersion: string): string | undefined => {
  const isFine = host === undefined ? httpVersion !== '1.1' : HOST.test(host);
  return isFine ? undefined : 'an HTTP/1.1 request needs one Host header, with a host in it';
};

/** No client in its right mind sends more fields, and Node would drop those beyond so many without a word. */
const MAX_FIELDS = 1000;

/** What breaks the rules for the header of a request that Node leaves to the server; `undefined` if nothing does. */
export const faultInHead = ({ headers, rawHeaders, httpVersion }: IncomingMessage): Problem | undefined => {
  if (rawHeaders.length > 2 * MAX_FIELDS)
    return new Problem('headersTooLarge', `the request has more than ${MAX_FIELDS} header fields`);
  const codings = headers['transfer-encoding'];
  const inCodings = codings === undefined ? undefined : faultInCodings(codings, httpVersion);
  const fault = inCodings ?? faultInHost(headers.host, httpVersion);
  return fault === undefined ? undefined : new Problem('malformedHttp', fault);
};
