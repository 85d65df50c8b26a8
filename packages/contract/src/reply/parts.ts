import { randomBytes } from 'node:crypto';
import { isRange } from '@trellis/openapi/internal/http';
import { type Encode, isTree, ownMember } from '@trellis/openapi/internal/json';
import { allowsType } from '../body/media-types.ts';
import type { Position } from '../body/multipart/positions.ts';

/** How the part at one position is written. */
export interface PartRules extends Pick<Position, 'mediaTypes'> {
  readonly writeValue: Encode;
  /** Whether its media type is checked, as all of a reply is that is checked. */
  readonly isChecked: boolean;
}

/** The syntax of a header field (RFC 9110, sections 5.6.2 and 5.5). A line break would end it. */
const NAME = /^[!#$%&'*+.^`|~\w-]+$/;
const VALUE = /^[\t\x20-\x7e\xa0-\xff]*$/;

const writeField = ([name, value]: readonly [string, unknown]): string => {
  if (NAME.test(name) && VALUE.test(String(value))) return `${name}: ${value}\r\n`;
  throw new TypeError(`a part cannot have the header ${JSON.stringify(name)}`);
};

const typeOf = (body: unknown, [only = '', ...others]: readonly string[]): string => {
  if (only !== '' && others.length === 0 && !isRange(only)) return only;
  if (typeof body === 'string') return 'text/plain; charset=utf-8';
  return body instanceof Uint8Array ? 'application/octet-stream' : 'application/json';
};

/** Writes the head of a part; its `headers` may name the media type, else it is the declared one, or known by the body. */
const headOf = (part: object, body: unknown, { mediaTypes, isChecked }: PartRules): string => {
  const given = Object.entries(ownMember(part, 'headers') ?? {});
  const named = given.find(([name]) => name.toLowerCase() === 'content-type');
  const type = named ?? ['Content-Type', typeOf(body, mediaTypes)];
  if (isChecked && !allowsType(mediaTypes, String(type[1])))
    throw new TypeError(
      `an item of the stream: ${type[1]} is not declared for it, but ${mediaTypes.join(', ')}`,
    );
  return (named ? given : [type, ...given]).map(writeField).join('');
};

/**
 * Starts a multipart body (RFC 2046, section 5.1), part by part. Its boundary is random and new each time, so that no
 * part can contain it. The delimiter after a part is sent with the part: a client can tell at once that the part is
 * complete.
 */
export const startParts = (mediaType: string, rulesAt: (nth: number) => PartRules) => {
  const boundary = randomBytes(18).toString('hex');
  let nth = 0;
  const first = () => (nth === 0 ? `--${boundary}` : '');
  const write = (part: unknown): string | Uint8Array => {
    if (!isTree(part) || !('body' in part))
      throw new TypeError('a part must be an object such as { headers, body }');
    const { body } = part;
    const rules = rulesAt(nth);
    const head = `${first()}\r\n${headOf(part, body, rules)}\r\n`;
    const next = `\r\n--${boundary}`;
    nth += 1;
    if (body instanceof Uint8Array) return Buffer.concat([Buffer.from(head), body, Buffer.from(next)]);
    return `${head}${typeof body === 'string' ? body : rules.writeValue(body)}${next}`;
  };
  return {
    write,
    end: () => `${first()}--\r\n`,
    headers: { 'Content-Type': `${mediaType}; boundary=${boundary}` },
  };
};
