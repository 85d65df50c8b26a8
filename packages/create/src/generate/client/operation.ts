/** Describes an operation to the client: how its requests are written, and how its replies are read. */

import { compilePositions, itemSchemaAt, placeOf } from '@trellis/contract/internal';
import { parametersAt, schemeAt } from '@trellis/openapi/internal/document';
import { bodyKindOf, type SequenceKind, sequenceKindOf } from '@trellis/openapi/internal/http';
import { followRefs, isTree, ownMember, pointerTo, valueAt } from '@trellis/openapi/internal/json';
import { itemsKindAt, membersAt, typesOf } from '@trellis/openapi/internal/schema';
import { type Code, codeOf } from '../../literal.ts';
import { isPlainText, MIXED } from '../mark-bytes.ts';

/** The style of a parameter or a field. The client has the same defaults as OpenAPI. */
const styleOf = (declared: unknown) => ({
  style: ownMember(declared, 'style'),
  explode: ownMember(declared, 'explode'),
});

const describeParameter = (document: unknown, at: string) => {
  const declared = valueAt(document, at);
  const place = placeOf(ownMember(declared, 'in'));
  if (!place) return [];
  const [content] = Object.entries(ownMember(declared, 'content') ?? {});
  const written = () => {
    if (!content) return styleOf(declared);
    if (ownMember(declared, 'in') === 'querystring') return describeWhole(...content);
    return bodyKindOf(content[0]) === 'json' ? { json: true } : {};
  };
  return [{ in: place, name: String(ownMember(declared, 'name')), ...written() }];
};

/** A parameter `in: querystring`: the whole query in a media type. */
const describeWhole = (mediaType: string, content: unknown) => {
  const kind = bodyKindOf(mediaType);
  return {
    whole: kind === 'form' || kind === 'json' ? kind : 'text',
    fields: kind === 'form' ? describeFields(ownMember(content, 'encoding')) : undefined,
  };
};

/** The styles of the fields of a form. A style overrides the media type (OAS 3.1, section 4.8.15.1). */
const describeFields = (encodings: unknown) => {
  const fields = Object.entries(encodings ?? {}).flatMap(([name, encoding]): [string, object][] => {
    const isStyled = ['style', 'explode', 'allowReserved'].some(
      (key) => ownMember(encoding, key) !== undefined,
    );
    const contentType = ownMember(encoding, 'contentType');
    if (isStyled) return [[name, styleOf(encoding)]];
    return typeof contentType === 'string' && bodyKindOf(contentType) === 'json'
      ? [[name, { json: true }]]
      : [];
  });
  return fields.length > 0 ? Object.fromEntries(fields) : undefined;
};

/** The media types of parts by position, the last for all that follow; null for one that depends on the value. */
const describeParts = (document: unknown, schemaAt: string) => {
  const { count, at } = compilePositions(document, schemaAt, ({ mediaTypes: [only = '*', ...others] }) =>
    others.length > 0 || only.includes('*') ? null : only,
  );
  const types = Array.from({ length: count }, (_, nth) => at(nth));
  return types.some((type) => type !== null) ? types : undefined;
};

/** A certificate is not sent in a request. */
const describeScheme = (document: unknown, name: string): object => {
  const { kind, type, place, parameter } = schemeAt(document, name) ?? {};
  if (kind === 'apiKey') return { type: kind, scheme: name, in: place, name: parameter };
  return { type: kind ?? (type === 'mutualTLS' ? 'none' : 'unknown') };
};

/** The security alternatives of an operation, else of the document; `undefined` if it needs no credentials. */
const describeSecurity = (document: unknown, operation: unknown): object[][] | undefined => {
  const requirements = ownMember(operation, 'security') ?? ownMember(document, 'security');
  if (!Array.isArray(requirements) || requirements.length === 0) return undefined;
  return requirements.map((requirement: object) =>
    Object.keys(requirement).map((scheme) => describeScheme(document, scheme)),
  );
};

/** The client's reader for each kind of sequence. */
const READERS = {
  events: 'readEvents',
  lines: 'readLines',
  records: 'readRecords',
  parts: 'readParts',
} as const;

/** A function of the client that a description refers to. */
export type Reader = (typeof READERS)[keyof typeof READERS];

/**
 * How the data of events is parsed: as text unless the contract declares JSON, which is the default and not written.
 */
const describeData = (document: unknown, dataAt: readonly string[]) => {
  if (dataAt.length === 0) return 'text';
  const types = new Set(dataAt.flatMap((at) => [...typesOf(document, at)]));
  if (types.size > 0 && !types.has('string')) return undefined;
  return types.size === 1 ? 'text' : 'either';
};

/** The document that operations are described from. */
interface Described {
  readonly document: unknown;
  /** Refers to the int64s in the values of schemas. */
  readonly int64sAt: (...schemasAt: readonly string[]) => Code | undefined;
  /** Notes that the generated file uses a reader. */
  readonly noteReader: (reader: Reader) => void;
}

/** Describes a sequence. Its schema may describe a whole event, or the data of an event. */
const describeSequence = (
  { document, int64sAt, noteReader }: Described,
  kind: SequenceKind,
  schemaAt: string,
) => {
  const itemsAt = [itemSchemaAt(document, schemaAt) ?? []].flat();
  const isEvents = kind === 'events';
  const dataAt = isEvents ? itemsAt.flatMap((at) => membersAt(document, at, 'properties', 'data')) : [];
  const valuesAt = dataAt.length > 0 ? dataAt : itemsAt;
  noteReader(READERS[kind]);
  return {
    as: 'text',
    items: codeOf(READERS[kind]),
    data: isEvents ? describeData(document, valuesAt) : undefined,
    int64s: int64sAt(...valuesAt),
  };
};

const describePartsIn = (described: Described, schemaAt: string, isReply: boolean) => {
  const types = describeParts(described.document, schemaAt);
  if (!isReply) return { as: 'parts', types };
  described.noteReader(READERS.parts);
  return { as: 'bytes', items: codeOf(READERS.parts), types, int64s: described.int64sAt(schemaAt) };
};

/** Describes the body of a media type. */
const describeContent = (
  described: Described,
  mediaType: string,
  content: unknown,
  schemaAt: string,
  isReply: boolean,
) => {
  const { document, int64sAt } = described;
  const kind = bodyKindOf(mediaType);
  const items = itemsKindAt(document, mediaType, schemaAt);
  if (items === 'parts') return describePartsIn(described, schemaAt, isReply);
  if (items && !isReply) return { as: items };
  const sequence = isReply ? sequenceKindOf(mediaType) : undefined;
  if (sequence) return describeSequence(described, sequence, schemaAt);
  const isForm = !isReply && (kind === 'form' || kind === 'multipart');
  const fields = isForm ? describeFields(ownMember(content, 'encoding')) : undefined;
  if (kind !== 'binary') return { as: kind, int64s: isReply ? int64sAt(schemaAt) : undefined, fields };
  if (MIXED.test(mediaType)) return { as: 'range' };
  return { as: isReply && isPlainText(document, schemaAt) ? 'text' : 'bytes' };
};

const describeContents = (described: Described, at: string, isReply: boolean) =>
  Object.entries(ownMember(valueAt(described.document, at), 'content') ?? {}).map(([mediaType, content]) => {
    const schemaAt = at + pointerTo('content', mediaType, 'schema');
    return [mediaType, describeContent(described, mediaType, content, schemaAt, isReply)] as const;
  });

const describeReplies = (described: Described, responsesAt: string) =>
  Object.fromEntries(
    Object.keys(valueAt(described.document, responsesAt) ?? {}).map((status) => {
      const at = followRefs(described.document, responsesAt + pointerTo(status));
      return [status, Object.fromEntries(describeContents(described, at, true))];
    }),
  );

/** Describes an operation to the client. */
export const describeOperation = (described: Described, id: string, method: string, path: string): object => {
  const { document } = described;
  const itemAt = followRefs(document, pointerTo('paths', path));
  const operationAt = itemAt + pointerTo(method.toLowerCase());
  const parameters = parametersAt(document, itemAt, operationAt).flatMap((at) =>
    describeParameter(document, at),
  );
  const bodyAt = followRefs(document, operationAt + pointerTo('requestBody'));
  const bodies = isTree(valueAt(document, bodyAt)) ? describeContents(described, bodyAt, false) : [];
  return {
    id,
    method,
    path,
    parameters: parameters.length > 0 ? parameters : undefined,
    security: describeSecurity(document, valueAt(document, operationAt)),
    bodies: bodies.length > 0 ? Object.fromEntries(bodies) : undefined,
    replies: describeReplies(described, operationAt + pointerTo('responses')),
  };
};
