/** Describes an operation to the client: how its requests are written, and how its replies are read. */

import { compilePositions, itemSchemaAt, placeOf } from '@trellis/contract/internal';
import { parametersAt, schemeAt } from '@trellis/openapi/document';
import { bodyKindOf, type SequenceKind, sequenceKindOf } from '@trellis/openapi/http';
import { followRefs, isTree, ownMember, pointerTo, valueAt } from '@trellis/openapi/json';
import { itemsKindAt, membersAt, typesOf } from '@trellis/openapi/schema';
import { type Code, codeOf } from '../../literal.ts';
import { isPlainText, MIXED } from '../mark-bytes.ts';

/** What the types of the client call a way to write a value. */
const styleOf = (declared: unknown, usual: string) => {
  const style = ownMember(declared, 'style') ?? usual;
  const isExploded = style === 'form' || style === 'cookie';
  const explode = ownMember(declared, 'explode') ?? isExploded;
  return {
    style: style === usual ? undefined : style,
    explode: explode === isExploded ? undefined : explode,
  };
};

const describeParameter = (document: unknown, at: string) => {
  const declared = valueAt(document, at);
  const place = placeOf(ownMember(declared, 'in'));
  if (!place) return [];
  const [content] = Object.entries(ownMember(declared, 'content') ?? {});
  const usual = place === 'path' || place === 'header' ? 'simple' : 'form';
  const written = () => {
    if (!content) return styleOf(declared, usual);
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

/** The fields of a form that have a style of their own. A style overrides the media type (OAS 3.1, section 4.8.15.1). */
const describeFields = (encodings: unknown) => {
  const fields = Object.entries(encodings ?? {}).flatMap(([name, encoding]): [string, object][] => {
    const isStyled = ['style', 'explode', 'allowReserved'].some(
      (key) => ownMember(encoding, key) !== undefined,
    );
    const contentType = ownMember(encoding, 'contentType');
    if (isStyled) return [[name, styleOf(encoding, 'form')]];
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

/** The alternatives of an operation, or those of the document; `undefined` if it is open to everybody. */
const describeSecurity = (document: unknown, operation: unknown): object[][] | undefined => {
  const requirements = ownMember(operation, 'security') ?? ownMember(document, 'security');
  if (!Array.isArray(requirements) || requirements.length === 0) return undefined;
  return requirements.map((requirement: object) =>
    Object.keys(requirement).map((scheme) => describeScheme(document, scheme)),
  );
};

/** What the client reads the items of each kind of sequence with. */
const READERS = {
  events: 'readEvents',
  lines: 'readLines',
  records: 'readRecords',
  parts: 'readParts',
} as const;

/** A function of the client that a description refers to. */
export type Reader = (typeof READERS)[keyof typeof READERS];

/** What the data of events is: a text where the contract says nothing else. JSON has no name. */
const describeData = (document: unknown, dataAt: readonly string[]) => {
  if (dataAt.length === 0) return 'text';
  const types = new Set(dataAt.flatMap((at) => [...typesOf(document, at)]));
  if (types.size > 0 && !types.has('string')) return undefined;
  return types.size === 1 ? 'text' : 'either';
};

/** Makes what describes operations. `int64sAt` refers to where int64s stand in the values of schemas. */
export const createDescribe = (
  document: unknown,
  int64sAt: (...schemasAt: readonly string[]) => Code | undefined,
  noteReader: (reader: Reader) => void,
) => {
  /** A contract may describe a whole event, or its data alone. */
  const describeSequence = (kind: SequenceKind, schemaAt: string) => {
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

  const describePartsIn = (schemaAt: string, isReply: boolean) => {
    const types = describeParts(document, schemaAt);
    if (!isReply) return { as: 'parts', types };
    noteReader(READERS.parts);
    return { as: 'bytes', items: codeOf(READERS.parts), types, int64s: int64sAt(schemaAt) };
  };

  const describeContents = (at: string, isReply: boolean) =>
    Object.entries(ownMember(valueAt(document, at), 'content') ?? {}).map(([mediaType, content]) => {
      const schemaAt = at + pointerTo('content', mediaType, 'schema');
      const kind = bodyKindOf(mediaType);
      const items = itemsKindAt(document, mediaType, schemaAt);
      if (items === 'parts') return [mediaType, describePartsIn(schemaAt, isReply)] as const;
      if (items && !isReply) return [mediaType, { as: items }] as const;
      const sequence = isReply ? sequenceKindOf(mediaType) : undefined;
      if (sequence) return [mediaType, describeSequence(sequence, schemaAt)] as const;
      const isForm = !isReply && (kind === 'form' || kind === 'multipart');
      const fields = isForm ? describeFields(ownMember(content, 'encoding')) : undefined;
      if (kind !== 'binary')
        return [mediaType, { as: kind, int64s: isReply ? int64sAt(schemaAt) : undefined, fields }] as const;
      if (MIXED.test(mediaType)) return [mediaType, { as: 'range' }] as const;
      return [mediaType, { as: isReply && isPlainText(document, schemaAt) ? 'text' : 'bytes' }] as const;
    });

  const describeReplies = (responsesAt: string) =>
    Object.fromEntries(
      Object.keys(valueAt(document, responsesAt) ?? {}).map((status) => {
        const at = followRefs(document, responsesAt + pointerTo(status));
        return [status, Object.fromEntries(describeContents(at, true))];
      }),
    );

  return (id: string, method: string, path: string): object => {
    const itemAt = followRefs(document, pointerTo('paths', path));
    const operationAt = itemAt + pointerTo(method.toLowerCase());
    const parameters = parametersAt(document, itemAt, operationAt).flatMap((at) =>
      describeParameter(document, at),
    );
    const bodyAt = followRefs(document, operationAt + pointerTo('requestBody'));
    const bodies = isTree(valueAt(document, bodyAt)) ? describeContents(bodyAt, false) : [];
    return {
      id,
      method,
      path,
      parameters: parameters.length > 0 ? parameters : undefined,
      security: describeSecurity(document, valueAt(document, operationAt)),
      bodies: bodies.length > 0 ? Object.fromEntries(bodies) : undefined,
      replies: describeReplies(operationAt + pointerTo('responses')),
    };
  };
};
