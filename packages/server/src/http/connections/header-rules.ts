import type { IncomingMessage } from 'node:http';
import { Problem } from '../../contract/problems/problem.ts';

/**
 * RFC 9110, section 7.2, with the host of RFC 3986, section 3.2.2. Node joins two of them by `, `, which never matches.
 */
const HOST = /^(?:\[[\w:.~!$&'()*+,;=-]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/;

/** RFC 9112, section 6.1. Node would treat either as plain chunked. */
const checkTransferEncoding = (codings: string, httpVersion: string): string | undefined => {
  if (httpVersion === '1.0') return 'HTTP/1.0 has no Transfer-Encoding';
  return codings.toLowerCase() === 'chunked'
    ? undefined
    : 'this Transfer-Encoding is not supported; use chunked';
};

/** RFC 9112, section 3.2. */
const checkHost = (host: string | undefined, httpVersion: string): string | undefined => {
  const isValid = host === undefined ? httpVersion !== '1.1' : HOST.test(host);
  return isValid ? undefined : 'an HTTP/1.1 request needs one Host header, with a host in it';
};

/** Above its own limit Node drops header fields silently. No real client sends as many as ours. */
const MAX_FIELDS = 1000;

/** Checks the rules for a request header that Node leaves to the server; returns what is wrong, if anything is. */
export const checkHeader = ({ headers, rawHeaders, httpVersion }: IncomingMessage): Problem | undefined => {
  if (rawHeaders.length > 2 * MAX_FIELDS)
    return new Problem('headersTooLarge', `the request has more than ${MAX_FIELDS} header fields`);
  const codings = headers['transfer-encoding'];
  const codingFault = codings === undefined ? undefined : checkTransferEncoding(codings, httpVersion);
  const fault = codingFault ?? checkHost(headers.host, httpVersion);
  return fault === undefined ? undefined : new Problem('malformedHttp', fault);
};
