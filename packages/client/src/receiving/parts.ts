/** Reads the parts of a multipart reply (RFC 2046, section 5.1) as they arrive. */
import { bodyKindOf } from '@trellis/openapi/internal/http';
import { partOf, readJson } from '../json.ts';
import type { Content } from '../operation.ts';
import { UnexpectedReply } from '../unexpected-reply.ts';

/** A part of a multipart reply. Its media type decides whether its body is a JSON value, a string or bytes. */
export interface ClientPart<Body = unknown> {
  readonly headers: Headers;
  /** Its Content-Type, else the declared media type, else `text/plain`. */
  readonly mediaType: string;
  readonly body: Body;
}

/** Most bytes of a part, in case a service never sends a delimiter. */
const LONGEST = 2 ** 24;

const encoder = new TextEncoder();
const HEAD_END = encoder.encode('\r\n\r\n');
const BOUNDARY = /;\s*boundary\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]+))/i;

/** The index of a mark that begins with a carriage return; -1 if it is not found. */
const find = (bytes: Uint8Array, mark: Uint8Array, from: number): number => {
  let at = bytes.indexOf(13, from);
  while (at >= 0 && !mark.every((byte, index) => bytes[at + index] === byte)) at = bytes.indexOf(13, at + 1);
  return at;
};

/** Header fields, a character for each byte. */
const readHead = (bytes: Uint8Array): Headers => {
  const lines = String.fromCharCode(...bytes).split(/\r\n(?![ \t])/);
  return new Headers(
    lines.flatMap((line) => {
      const [, name, value = ''] = /^([^:\s]+):(.*)$/s.exec(line.replace(/\r\n/g, '')) ?? [];
      return name === undefined ? [] : [[name, value]];
    }),
  );
};

/**
 * Reads the parts of a multipart reply as they arrive. Leaving the loop cancels the request.
 *
 * @example
 * for await (const { mediaType, body } of readParts(response, { as: 'parts' })) console.log(mediaType, body);
 */
export async function* readParts(response: Response, content: Content): AsyncGenerator<ClientPart, void> {
  const wrong = (why: string) => new UnexpectedReply(why, response, '');
  const [, quoted, plain] = BOUNDARY.exec(response.headers.get('content-type') ?? '') ?? [];
  const boundary = quoted?.replace(/\\(.)/g, '$1') ?? plain;
  if (boundary === undefined) throw wrong('parts without a boundary');
  const delimiter = encoder.encode(`\r\n--${boundary}`);
  const reader = response.body?.getReader();
  let rest = encoder.encode('\r\n'); // before the first delimiter no line needs to end
  const readOn = async (): Promise<void> => {
    const { value } = (await reader?.read()) ?? {};
    if (!value) throw wrong('parts that end before their last delimiter');
    if (rest.length > LONGEST) throw new RangeError(`a part of the reply has more than ${LONGEST} bytes`);
    const joined = new Uint8Array(rest.length + value.length);
    joined.set(rest);
    joined.set(value, rest.length);
    rest = joined;
  };
  /** Returns the bytes before a mark, and skips `passed` bytes of the mark. */
  const takeUntil = async (mark: Uint8Array, passed = mark.length): Promise<Uint8Array> => {
    let end = find(rest, mark, 0);
    for (let from = 0; end < 0; end = find(rest, mark, from)) {
      from = Math.max(0, rest.length - mark.length);
      await readOn();
    }
    const taken = rest.subarray(0, end);
    rest = rest.subarray(end + passed);
    return taken;
  };
  const readBody = (bytes: Uint8Array, mediaType: string, nth: number): unknown => {
    const kind = bodyKindOf(mediaType);
    if (kind !== 'json' && kind !== 'text') return bytes.slice();
    const text = new TextDecoder().decode(bytes);
    if (kind === 'text') return text;
    try {
      const list = content.int64s?.();
      return readJson(text, list && partOf(list, `${nth}`, true)?.());
    } catch (cause) {
      throw new UnexpectedReply(`part ${nth + 1} is not JSON`, response, text, { cause });
    }
  };
  try {
    await takeUntil(delimiter);
    for (let nth = 0; ; nth++) {
      while (rest.length < 2) await readOn();
      if (rest[0] === 45 && rest[1] === 45) return; // --
      const headers = readHead(await takeUntil(HEAD_END, 2)); // a delimiter may follow at once
      const declared = content.types?.[Math.min(nth, content.types.length - 1)];
      const mediaType = headers.get('content-type') ?? declared ?? 'text/plain';
      const bytes = await takeUntil(delimiter);
      yield { headers, mediaType, body: readBody(bytes.subarray(2), mediaType, nth) };
    }
  } finally {
    await reader?.cancel().catch(() => undefined); // a stream that failed fails again
  }
}
