import { hasPositions, mediaKindOf, sequenceKindOf } from '@trellis/openapi/internal/http';
import {
  followRefs,
  isTree,
  oncePerKey,
  ownMember,
  pointerTo,
  refAt,
  toJson,
  valueAt,
} from '@trellis/openapi/internal/json';
import { binaryPlaces } from '@trellis/openapi/internal/schema';
import { examplesAt } from '@trellis/openapi/internal/values';
import { toXml } from '../codec/xml.ts';
import { Problem } from '../problems/problem.ts';
import { createDeclaredHeaders } from '../reply/declared-headers.ts';
import type { WireReply } from '../reply/replies.ts';
import type { Reply } from '../reply/reply.ts';
import { compileStreaming } from '../reply/streams.ts';
import { STUB_HEADER } from '../reply/stub.ts';
import { createChoice, type ExampleRules } from './choice.ts';
import { chooseStatus, type Offer, offersOf } from './offers.ts';

/** A name that any header can hold. */
const toHeaderText = (name: string): string => name.replaceAll(/[^\x20-\x7e]/g, '?');

/** The operation that an example reply is for. */
export interface ExampleOperation {
  readonly id: string;
  /** In lower case. */
  readonly method: string;
  readonly path: string;
  /** Writes a reply without a check. */
  readonly write: (reply: Reply) => WireReply;
}

/** The reply of a stub. `accepts` returns the media type that the client prefers; false if it accepts none. */
export type ExampleReply = (accepts: (mediaTypes: string[]) => string | false) => WireReply;

/** Statuses whose replies have no content (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5). */
const EMPTY: readonly number[] = [204, 205, 304];

/** The name of the outermost element where the body is XML. */
const rootNameOf = (document: unknown, schemaAt: string): string => {
  const target = valueAt(document, followRefs(document, schemaAt));
  const name = ownMember(ownMember(target, 'xml'), 'name') ?? refAt(document, schemaAt)?.split('/').at(-1);
  return typeof name === 'string' ? name : 'value';
};

/** Writes a value in a media type that is not JSON. A text is sent verbatim. */
const writeText = (document: unknown, value: unknown, mediaType: string, schemaAt: string): Buffer => {
  if (!isTree(value)) return Buffer.from(String(value ?? ''));
  const isXml = mediaKindOf(mediaType) === 'xml';
  return Buffer.from(isXml ? toXml(value, rootNameOf(document, schemaAt)) : toJson(value));
};

/** Writes a value as the items of a sequence; `undefined` for a text, or if the media type is not a sequence. */
const writeItems = (rules: ExampleRules, value: unknown, mediaType: string, schemaAt: string) => {
  const isParts = Array.isArray(value) && hasPositions(mediaType);
  const kind = isParts ? 'parts' : typeof value === 'string' ? undefined : sequenceKindOf(mediaType);
  const start = kind && compileStreaming(rules.document, mediaType, schemaAt, { ...rules, checked: false });
  if (!start) return undefined;
  const { write, end, headers } = start();
  const toEvent = (item: unknown) => (isTree(item) && 'data' in item ? item : { data: item });
  const items = [value]
    .flat()
    .map((item) => (isParts ? { body: item } : kind === 'events' ? toEvent(item) : item));
  const body = Buffer.concat([...items.map(write), end?.() ?? ''].map((chunk) => Buffer.from(chunk)));
  return { contentType: String(headers['Content-Type'] ?? mediaType), body };
};

/**
 * Makes the replies of stubs: the success that an operation declares, with the examples of the contract or with values
 * made from its schemas. Each is made at the first request that needs it, and kept.
 */
export const createExampleReplies = (rules: ExampleRules) => {
  const { document } = rules;
  const choose = createChoice(rules);
  const headersAt = createDeclaredHeaders(document, choose);

  const bodyAt = (responseAt: string, { declared, mediaType, isJson }: Offer, id: string) => {
    const at = responseAt + pointerTo('content', declared);
    const schemaAt = at + pointerTo('schema');
    const hasSchema = valueAt(document, schemaAt) !== undefined;
    const value = choose(examplesAt(document, at), hasSchema ? schemaAt : undefined, isJson);
    if (value === undefined && hasSchema)
      throw new Problem('notImplemented', `${id} is not written yet, and no value fits its schema`, {
        headers: { [STUB_HEADER]: toHeaderText(id) },
      });
    const shown = value === undefined ? (isJson ? null : 'example') : value;
    const items = writeItems(rules, shown, mediaType, schemaAt);
    if (items) return items;
    return { contentType: mediaType, body: isJson ? shown : writeText(document, shown, mediaType, schemaAt) };
  };

  return ({ id, method, path, write }: ExampleOperation): ExampleReply => {
    const responsesAt = followRefs(document, pointerTo('paths', path, method, 'responses'));
    const chosen = chooseStatus(Object.keys(valueAt(document, responsesAt) ?? {}));
    const own = { [STUB_HEADER]: toHeaderText(id) };
    if (!chosen) return () => ({ status: 204, headers: own, payload: '' });

    const { key, status } = chosen;
    const responseAt = followRefs(document, responsesAt + pointerTo(key));
    const mediaTypes = Object.keys(ownMember(valueAt(document, responseAt), 'content') ?? {});
    const hasBody = method !== 'head' && !EMPTY.includes(status);
    const make = (offer: Offer | undefined): WireReply => {
      const headers = { ...headersAt(responseAt), ...own };
      if (!offer) return write({ status, headers });
      const { body, contentType } = bodyAt(responseAt, offer, id);
      return write({ status, headers: { ...headers, 'Content-Type': contentType }, body });
    };
    const isBinary = (declared: string): boolean =>
      binaryPlaces(document, responseAt + pointerTo('content', declared, 'schema')).length > 0;
    const offers = hasBody ? offersOf(mediaTypes, isBinary) : [];
    const made = oncePerKey(make);
    return (accepts) => {
      const wanted = accepts(offers.map(({ mediaType }) => mediaType));
      const offer = offers.find(({ mediaType }) => mediaType === wanted) ?? offers[0];
      const { status, headers, payload } = made(offer);
      return { status, headers: { ...headers }, payload };
    };
  };
};
