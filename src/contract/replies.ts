import type { ValidateFunction } from 'ajv';
import type { Reply } from './handler.ts';
import { parseJson } from './json.ts';
import { kindOf } from './media-types.ts';
import { followRefs, isTree, ownMember, pointerTo, valueAt } from './pointer.ts';
import { type Encode, toJson } from './reply-encoder.ts';
import { describeErrors, listViolations } from './violations.ts';

/** A reply as it goes on the wire. */
export interface WireReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly payload: string | Buffer;
}

/** What replies are made and checked by. */
export interface ReplyRules {
  readonly encoderAt: (pointer: string) => Encode;
  readonly validatorAt: (pointer: string) => ValidateFunction;
  /** Whether every reply is held against the contract; it costs about as much as making it. */
  readonly checked: boolean;
}

/** A declared response, compiled. */
interface Response {
  readonly isJson: boolean;
  readonly encode: Encode;
  readonly mediaType: string | undefined;
  readonly schemaAt: string | undefined;
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

const compileResponse = (document: unknown, encoderAt: (pointer: string) => Encode, at: string): Response => {
  const [mediaType] = Object.keys(ownMember(valueAt(document, at), 'content') ?? {});
  const schemaAt = mediaType === undefined ? undefined : at + pointerTo('content', mediaType, 'schema');
  const headersAt = at + pointerTo('headers');
  const names = Object.keys(valueAt(document, headersAt) ?? {});
  const headers = new Map(
    names.map((name) => [
      name.toLowerCase(),
      valueAt(document, followRefs(document, headersAt + pointerTo(name))),
    ]),
  );
  const isJson = mediaType !== undefined && kindOf(mediaType) === 'json';
  return {
    mediaType,
    isJson,
    encode: isJson && schemaAt !== undefined ? encoderAt(schemaAt) : String,
    schemaAt: schemaAt !== undefined && valueAt(document, schemaAt) !== undefined ? schemaAt : undefined,
    headers,
    requiredHeaders: names.filter((name) => ownMember(headers.get(name.toLowerCase()), 'required') === true),
  };
};

/**
 * Compiles how the replies of an operation are written: by the response of their status, else of its range
 * (`4XX`), else the default. A reply that breaks the contract is an error of ours, and thrown as one.
 */
export const createReplies = (document: unknown, { encoderAt, validatorAt, checked }: ReplyRules) => {
  const breaks = (why: string): never => {
    throw new Error(`the reply breaks the contract: ${why}`);
  };

  return (responsesAt: string) => {
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
      { status, headers = {}, body }: Reply,
      { isJson, schemaAt, requiredHeaders }: Response,
      payload: string | Buffer,
    ): void => {
      const names = Object.keys(headers).map((name) => name.toLowerCase());
      const missing = requiredHeaders.filter((name) => !names.includes(name.toLowerCase()));
      if (missing.length > 0) breaks(`status ${status} wants the header ${missing.join(', ')}`);
      if (schemaAt === undefined || typeof payload !== 'string') return;
      if (body === undefined) breaks(`status ${status} wants a body`);
      const { value, exact } = parseJson(Buffer.from(isJson ? payload : toJson(body)));
      const validate = validatorAt(schemaAt);
      if (!validate.call({ exact: { body: exact } }, { body: value }))
        breaks(`status ${status}: ${listViolations(describeErrors(validate.errors))}`);
    };

    const write = (body: unknown, { mediaType, encode }: Response): string | Buffer => {
      if (body === undefined || mediaType === undefined) return '';
      if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
      return encode(body);
    };

    return (reply: Reply): WireReply => {
      const response = responseFor(reply.status);
      const payload = write(reply.body, response);
      if (checked) check(reply, response, payload);
      const headers: Record<string, string | number> = {};
      if (payload !== '' && response.mediaType !== undefined) headers['Content-Type'] = response.mediaType;
      // RFC 9110, section 8.6: where there can be no content, there is no word of its length either.
      if (reply.status !== 204) headers['Content-Length'] = Buffer.byteLength(payload);
      for (const name in reply.headers)
        headers[name] = headerText(response.headers.get(name.toLowerCase()), reply.headers[name]);
      return { status: reply.status, payload, headers };
    };
  };
};
