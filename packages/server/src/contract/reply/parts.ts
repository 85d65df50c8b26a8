import { randomBytes } from 'node:crypto';
import { isTree, ownMember } from '@trellis/openapi/json';

/** RFC 9110, section 5.6.2 and 5.5: what a header field is made of. A line break would end it. */
const NAME = /^[!#$%&'*+.^`|~\w-]+$/;
const VALUE = /^[\t\x20-\x7e\xa0-\xff]*$/;

const writeField = ([name, value]: readonly [string, unknown]): string => {
  if (NAME.test(name) && VALUE.test(String(value))) return `${name}: ${value}\r\n`;
  throw new TypeError(`a part cannot have the header ${JSON.stringify(name)}`);
};

const typeOf = (body: unknown): string => {
  if (typeof body === 'string') return 'text/plain; charset=utf-8';
  return body instanceof Uint8Array ? 'application/octet-stream' : 'application/json';
};

/** Writes the head of a part; its `headers` may name the media type, which is known by the body if they do not. */
const headOf = (part: object, body: unknown): string => {
  const headers = Object.entries(ownMember(part, 'headers') ?? {});
  const isNamed = headers.some(([name]) => name.toLowerCase() === 'content-type');
  return [...(isNamed ? [] : [['Content-Type', typeOf(body)] as const]), ...headers].map(writeField).join('');
};

/**
 * Starts a multipart body (RFC 2046, section 5.1), part by part. Its boundary is random and new each time, so that no part
 * can hold it.
 */
export const startParts = (mediaType: string, writeValue: (value: unknown) => string) => {
  const boundary = randomBytes(18).toString('hex');
  const write = (part: unknown): string | Uint8Array => {
    if (!isTree(part) || !('body' in part))
      throw new TypeError('a part must be an object such as { headers, body }');
    const { body } = part;
    const head = `--${boundary}\r\n${headOf(part, body)}\r\n`;
    if (body instanceof Uint8Array) return Buffer.concat([Buffer.from(head), body, Buffer.from('\r\n')]);
    return `${head}${typeof body === 'string' ? body : writeValue(body)}\r\n`;
  };
  return {
    write,
    end: `--${boundary}--\r\n`,
    headers: { 'Content-Type': `${mediaType}; boundary=${boundary}` },
  };
};
