import { covers, isRange, mediaKindOf, sampleOf, textOf } from '@trellis/openapi/internal/http';
import { toJson } from '@trellis/openapi/internal/json';
import type { Schemas } from '../document/contract.ts';
import { type Content, encodingAt, type PartEncoding } from '../document/operations.ts';
import { isObject, type Json, type Members } from '../values/json.ts';
import type { Schema, SchemaObject } from '../values/schema.ts';
import type { WrittenBody } from './call.ts';
import {
  canWrite,
  isScalar,
  isUnspecified,
  keepNestable,
  type Style,
  styleOfField,
  writeParameter,
} from './styles.ts';

/** The boundary of multipart bodies. No generated value contains it. */
export const BOUNDARY = 'contract-tests-boundary';

/** Picks a media type from a range. */
export const memberOfRange = (range: string): string => {
  const isOfBytes = isRange(range) && covers(range, 'application/octet-stream');
  return isOfBytes ? 'application/octet-stream' : sampleOf(range);
};

/** One byte per character, since lengths of binary data are counted in bytes. */
const toBytes = (text: string): Buffer => Buffer.from(Array.from(text, (sign) => sign.codePointAt(0) ?? 0));

/** Whether the values of a flat schema are bytes. */
const isOfBytes = ({ format, contentMediaType, contentEncoding }: SchemaObject): boolean =>
  format === 'binary' || (contentMediaType !== undefined && contentEncoding === undefined);

/** The default media type of a part (OAS 3.2, section 4.15.1.1). */
const usualMediaType = ({ typesOf, shapeOf }: Schemas, schema: Schema, isBinary: boolean): string => {
  if (isBinary || typesOf(schema).size === 0) return 'application/octet-stream';
  return shapeOf(schema) === 'scalar' ? 'text/plain; charset=utf-8' : 'application/json';
};

/** Whether a text has one meaning: `5` may be a number or a string. */
const isClear = ({ accepts, isSurelyValid, isSurelyWrong }: Schemas, schema: Schema, value: Json): boolean =>
  accepts(schema, value) ? isSurelyValid(schema, value) : isSurelyWrong(schema, value);

/** A part with these header fields. */
const partOf = (head: string, body: Buffer | string): Buffer =>
  Buffer.concat([`--${BOUNDARY}\r\n${head}\r\n\r\n`, body, '\r\n'].map((piece) => Buffer.from(piece)));

const joinParts = (parts: readonly Buffer[]): Buffer =>
  Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]);

const writePart = (schemas: Schemas, schema: Schema, encoding: PartEncoding, value: Json) => {
  if (encoding.headers.some(({ isRequired }) => isRequired)) return undefined;
  const isBinary = schemas.flatten(schema).some(isOfBytes);
  const mediaType = memberOfRange(encoding.mediaTypes[0] ?? usualMediaType(schemas, schema, isBinary));
  const part = (body: Buffer | string): Buffer => partOf(`Content-Type: ${mediaType}`, body);
  if (isBinary) return typeof value === 'string' ? part(toBytes(value)) : undefined;
  if (mediaKindOf(mediaType) === 'json') return part(toJson(value));
  const text = textOf(value);
  const isText = schemas.typesOf(schema).size === 0 || (isScalar(value) && isClear(schemas, schema, value));
  return isText && !text.startsWith('\ufeff') ? part(text) : undefined;
};

/** Serializes a list as multipart by position; returns undefined if parts cannot express it. */
export const writeParts = (schemas: Schemas, content: Content, list: readonly Json[]): Buffer | undefined => {
  const parts = list.map((item, nth) =>
    writePart(schemas, schemas.itemOf(content.schema, nth), encodingAt(content, nth), item),
  );
  const written = parts.filter((part) => part !== undefined);
  return written.length === parts.length ? joinParts(written) : undefined;
};

const styleOf = ({ encoding }: Content, name: string): Style => styleOfField(encoding, name);

/** Whether a member of a form is serialized under names in brackets. */
export const isDeep = (content: Content, name: string): boolean =>
  content.kind === 'form' && styleOf(content, name).style === 'deepObject';

/** Whether a part is a file: its schema describes bytes, or nothing. */
const isFile = ({ flatten, memberOf }: Schemas, { schema }: Content, name: string): boolean =>
  flatten(memberOf(schema, name)).some(
    (flat) => isOfBytes(flat) || (flat.type === undefined && flat.enum === undefined),
  );

const canWriteMember = (schemas: Schemas, content: Content, name: string, value: Json): boolean => {
  const shape = schemas.shapeOf(schemas.memberOf(content.schema, name));
  if (content.kind === 'form') return canWrite(styleOf(content, name), shape, value);
  if (isFile(schemas, content, name)) return typeof value === 'string';
  // One part equals a list of one part. Parsers drop a byte order mark, which RFC 7578 leaves open.
  const texts = Array.isArray(value) ? value : [value];
  return (
    Array.isArray(value) === (shape === 'array') &&
    texts.length > 0 &&
    texts.every((each) => isScalar(each) && !textOf(each).startsWith('\ufeff'))
  );
};

/** Keeps the members that a form can carry: declared ones that their style can serialize. */
export const toForm = (schemas: Schemas, content: Content, value: Json): Members => {
  const known = schemas.namesOf(content.schema);
  return Object.fromEntries(
    Object.entries(isObject(value) ? value : {})
      .map(([name, member]) => [name, isDeep(content, name) ? keepNestable(member) : member] as const)
      .filter(([name, member]) => known.has(name) && canWriteMember(schemas, content, name, member)),
  );
};

/** Whether two members of a form get the same name, such as a member and a member of an exploded object. */
const shareName = (members: readonly (readonly string[])[]): boolean => {
  const names = members.flatMap((pairs) => [...new Set(pairs.map((pair) => pair.replace(/=.*/s, '')))]);
  return new Set(names).size < names.length;
};

const writeFields = (content: Content, contentType: string, form: Members): WrittenBody | undefined => {
  const members = Object.entries(form).map(([name, value]) => ({ style: styleOf(content, name), value }));
  const pairs = members.map(({ style, value }) => writeParameter(style, value));
  if (shareName(pairs)) return undefined;
  return {
    contentType,
    bytes: Buffer.from(pairs.flat().join('&')),
    isUnspecified: members.some(({ style, value }) => isUnspecified(style, value)),
  };
};

const writeNamedPart = (name: string, value: Json, isAFile: boolean): Buffer[] => {
  const head = `Content-Disposition: form-data; name="${name.replaceAll('"', '%22')}"`;
  const ofFile = `${head}; filename="${name}.bin"\r\nContent-Type: application/octet-stream`;
  if (isAFile) return [partOf(ofFile, textOf(value))];
  return [value].flat().map((each) => partOf(head, textOf(each)));
};

/** Serializes a form or a multipart body; `undefined` if it cannot express the value. */
export const writeForm = (
  schemas: Schemas,
  content: Content,
  contentType: string,
  value: Json,
): WrittenBody | undefined => {
  const members = isObject(value) ? Object.entries(value) : [];
  const isWritable = members.every(([name, member]) => canWriteMember(schemas, content, name, member));
  if (!isObject(value) || members.length === 0 || !isWritable) return undefined;
  if (content.kind === 'form') return writeFields(content, contentType, value);
  const parts = members.flatMap(([name, member]) =>
    writeNamedPart(name, member, isFile(schemas, content, name)),
  );
  return { contentType: `${contentType}; boundary=${BOUNDARY}`, bytes: joinParts(parts) };
};
