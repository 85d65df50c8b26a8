import type { Schemas } from '../document/contract.ts';
import type { Content } from '../document/operations.ts';
import { isObject, type Json, type Members, textOf } from '../values/json.ts';
import type { WrittenBody } from './call.ts';
import { BOUNDARY, isOfBytes } from './parts.ts';
import {
  canWrite,
  isScalar,
  isUnspecified,
  keepNestable,
  type Style,
  styleOfField,
  writeParameter,
} from './styles.ts';

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

const writePart = (name: string, value: Json, isAFile: boolean): string[] => {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name.replaceAll('"', '%22')}"`;
  if (isAFile)
    return [
      `${head}; filename="${name}.bin"\r\nContent-Type: application/octet-stream\r\n\r\n${textOf(value)}\r\n`,
    ];
  return [value].flat().map((each) => `${head}\r\n\r\n${textOf(each)}\r\n`);
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
  const parts = members.flatMap(([name, member]) => writePart(name, member, isFile(schemas, content, name)));
  return {
    contentType: `${contentType}; boundary=${BOUNDARY}`,
    bytes: Buffer.from(`${parts.join('')}--${BOUNDARY}--\r\n`),
  };
};
