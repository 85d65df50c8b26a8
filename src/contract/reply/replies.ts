import { createMediaTypes, essenceOf, isRange, kindOf } from '../body/media-types.ts';
import { toJson } from '../codec/encode.ts';
import { parseJson } from '../json/parse.ts';
import { followRefs, isTree, ownMember, pointerSteps, pointerTo, valueAt } from '../json/pointer.ts';
import type { Encode } from '../json/write.ts';
import { listViolations } from '../problems/violations.ts';
import { createValidationContext } from '../schema/validation-context.ts';
import type { Validate } from '../validation/validators.ts';
import type { Reply } from './reply.ts';

/** A list goes out as that many lines: cookies cannot share one (RFC 6265, section 3). */
type HeaderValue = string | number | readonly string[];

/** A reply as it goes on the wire. */
export interface WireReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, HeaderValue>>;
  readonly payload: string | Buffer;
}

/** What replies are made and checked by. */
export interface ReplyRules {
  readonly encoderAt: (pointer: string) => Encode;
  /** Validates `{ body }` by the schema at a pointer. */
  readonly validatorAt: (pointer: string) => Validate;
  /** Whether every reply is held against the contract; it costs about as much as making it. */
  readonly checked: boolean;
}

/** A media type of a response, compiled. */
interface Content {
  /** What goes out as its `Content-Type` unless the handler says more; nothing for a range such as `image/*`. */
  readonly mediaType: string | undefined;
  readonly schemaAt: string | undefined;
  readonly isJson: boolean;
  readonly encode: Encode;
}

/** A declared response, compiled. */
interface Response {
  /** What a body is written as: by the `Content-Type` that its handler gives it, else as the first that is declared. */
  readonly contentOf: (contentType: HeaderValue | undefined) => Content | undefined;
  /** By name, in lower case. */
  readonly headers: ReadonlyMap<string, unknown>;
  readonly requiredHeaders: readonly string[];
}

/** A header as text: style `simple`, the only one that headers have, or JSON where it is declared by `content`. */
const headerText = (header: unknown, value: unknown): string => {
  if (!isTree(value)) return String(value);
  if (ownMember(header, 'content') !== undefined || value instanceof Date) return toJson(value);
  if (Array.isArray(value)) return value.join(',');
  const equals = ownMember(header, 'explode') === true ? '=' : ',';
  return Object.entries(value)
    .map(([name, member]) => `${name}${equals}${member}`)
    .join(',');
};

/** These are ours too, and are sent once, whatever their case in a handler. */
const OURS = new Map([
  ['content-type', 'Content-Type'],
  ['content-length', 'Content-Length'],
]);

/** The headers that a handler gives; one that is `undefined` is none. */
const writeHeaders = (
  { headers = {} }: Reply,
  { headers: declared }: Response,
): Record<string, HeaderValue> => {
  const written: Record<string, HeaderValue> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined) continue;
    const key = name.toLowerCase();
    written[OURS.get(key) ?? name] =
      key === 'set-cookie' && Array.isArray(value) ? value.map(String) : headerText(declared.get(key), value);
  }
  return written;
};

const breaks = (why: string): never => {
  throw new Error(`the reply breaks the contract: ${why}`);
};

/** A range says nothing of what is sent; the `Content-Type` of the handler says it all. */
const compileContents = (document: unknown, encoderAt: (pointer: string) => Encode, at: string) => {
  const names = Object.keys(valueAt(document, at) ?? {});
  const compile = (name: string, meant = name): Content => {
    const schemaAt = at + pointerTo(name, 'schema');
    const isJson = kindOf(meant) === 'json';
    return {
      mediaType: isRange(meant) ? undefined : meant,
      schemaAt: valueAt(document, schemaAt) === undefined ? undefined : schemaAt,
      isJson,
      encode: isJson ? encoderAt(schemaAt) : String,
    };
  };
  const contents = new Map(names.map((name) => [name, compile(name)]));
  const [first] = contents.values();
  const find = createMediaTypes(names);
  const nameOf = (mediaType: string): string => {
    try {
      return find(mediaType);
    } catch {
      return breaks(`${mediaType} is not declared, but ${names.join(', ')}`);
    }
  };
  return (contentType: HeaderValue | undefined): Content | undefined => {
    if (contentType === undefined || first === undefined) return first;
    const written = String(contentType);
    const essence = essenceOf(written);
    const name = contents.has(written) ? written : nameOf(essence);
    return isRange(name) ? compile(name, essence) : contents.get(name);
  };
};

const compileResponse = (document: unknown, encoderAt: (pointer: string) => Encode, at: string): Response => {
  const headersAt = at + pointerTo('headers');
  const names = Object.keys(valueAt(document, headersAt) ?? {});
  const headers = new Map(
    names.map((name) => [
      name.toLowerCase(),
      valueAt(document, followRefs(document, headersAt + pointerTo(name))),
    ]),
  );
  return {
    contentOf: compileContents(document, encoderAt, at + pointerTo('content')),
    headers,
    requiredHeaders: names.filter((name) => ownMember(headers.get(name.toLowerCase()), 'required') === true),
  };
};

/**
 * Compiles how the replies of an operation are written: by the response of their status, else of its range
 * (`4XX`), else the default. A reply that breaks the contract is an error of ours, and thrown as one.
 */
export const createReplies = (document: unknown, { encoderAt, validatorAt, checked }: ReplyRules) => {
  return (responsesAt: string) => {
    const isHead = pointerSteps(responsesAt).at(-2) === 'head'; // responses stand under their method
    const declared = new Map(
      Object.keys(valueAt(document, responsesAt) ?? {}).map((status) => [
        status,
        compileResponse(document, encoderAt, followRefs(document, responsesAt + pointerTo(status))),
      ]),
    );
    const known = new Map<number, Response>();
    const responseFor = (status: number): Response => {
      const response =
        known.get(status) ??
        declared.get(`${status}`) ??
        declared.get(`${Math.floor(status / 100)}XX`) ??
        declared.get('default') ??
        breaks(`status ${status} is not declared`);
      known.set(status, response);
      return response;
    };

    const check = (
      { status, body }: Reply,
      { headers, payload }: WireReply,
      { requiredHeaders }: Response,
      content: Content | undefined,
    ): void => {
      const names = Object.keys(headers).map((name) => name.toLowerCase());
      const missing = requiredHeaders.filter((name) => !names.includes(name.toLowerCase()));
      if (missing.length > 0) breaks(`status ${status} wants the header ${missing.join(', ')}`);
      if (content?.schemaAt === undefined || typeof payload !== 'string') return;
      if (body === undefined && isHead) return;
      if (body === undefined) breaks(`status ${status} wants a body`);
      const { value, exact } = parseJson(Buffer.from(content.isJson ? payload : toJson(body)));
      const violations = validatorAt(content.schemaAt)(
        createValidationContext({ body: value }, { body: exact }),
      );
      if (violations.length > 0) breaks(`status ${status}: ${listViolations(violations)}`);
    };

    const write = (body: unknown, content: Content | undefined): string | Buffer => {
      if (body === undefined || content === undefined) return '';
      if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
      return content.encode(body);
    };

    return (reply: Reply): WireReply => {
      const { status } = reply;
      const response = responseFor(status);
      const headers = writeHeaders(reply, response);
      const content = response.contentOf(headers['Content-Type']);
      const payload = write(reply.body, content);
      const sent = { status, payload, headers };
      if (checked) check(reply, sent, response, content);
      if (payload !== '' && content?.mediaType !== undefined) headers['Content-Type'] ??= content.mediaType;
      // RFC 9110, section 8.6: where there can be no content, there is no word of its length either, or that of a GET.
      const isLeftOut = status === 204 || (payload === '' && (isHead || status === 304));
      if (!isLeftOut) headers['Content-Length'] = Buffer.byteLength(payload);
      return sent;
    };
  };
};
