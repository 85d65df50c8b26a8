import { hasPositions } from '@trellis/openapi/internal/http';
import { toJson } from '@trellis/openapi/internal/json';
import fc from 'fast-check';
import type { Schemas } from '../document/contract.ts';
import type { Content } from '../document/operations.ts';
import { filterOrGiveUp, NotGenerated } from '../generation/filter.ts';
import { text } from '../generation/scalars.ts';
import { isObject, type Json, textOf } from '../values/json.ts';
import type { Schema } from '../values/schema.ts';
import { BOUNDARY, createPartsWriter, isOfBytes, memberOfRange } from './parts.ts';
import { canWrite, isScalar, isUnspecified, keepNestable, styleOfField, writeParameter } from './styles.ts';

/** The value of a body; bytes if its media type has no other representation. */
export type BodyValue = Json | Uint8Array;

/** A serialized body. */
export interface WrittenBody {
  readonly contentType: string;
  readonly bytes: Buffer;
  /** Whether OpenAPI leaves the serialization of a member undefined. */
  readonly isUnspecified?: boolean;
}

const styleOf = ({ encoding }: Content, name: string) => styleOfField(encoding, name);

/** Whether two members of a form get the same name, such as a member and a member of an exploded object. */
const shareName = (members: readonly (readonly string[])[]): boolean => {
  const names = members.flatMap((pairs) => [...new Set(pairs.map((pair) => pair.replace(/=.*/s, '')))]);
  return new Set(names).size < names.length;
};

/** Generates and serializes the bodies of a contract. */
export const createBodies = (schemas: Schemas) => {
  const { flatten, arbitraryOf, memberOf: schemaOfMember, namesOf, shapeOf, isSurelyValid } = schemas;
  const writeParts = createPartsWriter(schemas);

  /** Whether a part is a file: its schema describes bytes, or nothing. */
  const isFile = (content: Content, name: string): boolean =>
    flatten(schemaOfMember(content.schema, name)).some(
      (flat) => isOfBytes(flat) || (flat.type === undefined && flat.enum === undefined),
    );

  /** Whether a member of a form is serialized under names in brackets. */
  const isDeep = (content: Content, name: string): boolean =>
    content.kind === 'form' && styleOf(content, name).style === 'deepObject';

  const canWriteMember = (content: Content, name: string, value: Json): boolean => {
    if (content.kind === 'form')
      return canWrite(styleOf(content, name), shapeOf(schemaOfMember(content.schema, name)), value);
    if (isFile(content, name)) return typeof value === 'string';
    // One part equals a list of one part. Parsers drop a byte order mark, which RFC 7578 leaves open.
    const texts = Array.isArray(value) ? value : [value];
    return (
      Array.isArray(value) === (shapeOf(schemaOfMember(content.schema, name)) === 'array') &&
      texts.length > 0 &&
      texts.every((each) => isScalar(each) && !textOf(each).startsWith('\ufeff'))
    );
  };

  /** Keeps the members that a form can carry: declared ones that their style can serialize. */
  const toForm = (content: Content, value: Json): { readonly [name: string]: Json } => {
    const known = namesOf(content.schema);
    return Object.fromEntries(
      Object.entries(isObject(value) ? value : {})
        .map(([name, member]): [string, Json] => [
          name,
          isDeep(content, name) ? keepNestable(member) : member,
        ])
        .filter(([name, member]) => known.has(name) && canWriteMember(content, name, member)),
    );
  };

  const partOf = (content: Content, name: string, value: Json): string[] => {
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name.replaceAll('"', '%22')}"`;
    if (isFile(content, name))
      return [
        `${head}; filename="${name}.bin"\r\nContent-Type: application/octet-stream\r\n\r\n${textOf(value)}\r\n`,
      ];
    return [value].flat().map((each) => `${head}\r\n\r\n${textOf(each)}\r\n`);
  };

  /** Serializes a valid or invalid body; `undefined` if its media type cannot express it. */
  const write = (content: Content, value: BodyValue): WrittenBody | undefined => {
    const contentType = memberOfRange(content.mediaType);
    if (value instanceof Uint8Array) return { contentType, bytes: Buffer.from(value) };
    switch (content.kind) {
      case 'json':
        if (content.items === 'parts') {
          const bytes = writeParts(content, value);
          return bytes && { contentType: `${contentType}; boundary=${BOUNDARY}`, bytes };
        }
        if (content.items) {
          if (!Array.isArray(value) || value.length === 0) return undefined; // an empty sequence is no body
          const start = content.items === 'records' ? '\x1e' : '';
          const lines = value.map((item) => `${start}${toJson(item)}\n`);
          return { contentType, bytes: Buffer.from(lines.join('')) };
        }
        return { contentType, bytes: Buffer.from(toJson(value)) };
      case 'form':
      case 'multipart': {
        if (!isObject(value)) return undefined;
        const members = Object.entries(value);
        if (!members.every(([name, member]) => canWriteMember(content, name, member))) return undefined;
        if (members.length === 0) return undefined;
        if (content.kind === 'form') {
          const pairs = members.map(([name, member]) => writeParameter(styleOf(content, name), member));
          if (shareName(pairs)) return undefined;
          return {
            contentType,
            bytes: Buffer.from(pairs.flat().join('&')),
            isUnspecified: members.some(([name, member]) => isUnspecified(styleOf(content, name), member)),
          };
        }
        const parts = members.flatMap(([name, member]) => partOf(content, name, member));
        return {
          contentType: `${contentType}; boundary=${BOUNDARY}`,
          bytes: Buffer.from(`${parts.join('')}--${BOUNDARY}--\r\n`),
        };
      }
      default:
        // An empty text is no body.
        return typeof value === 'string' && value !== ''
          ? { contentType, bytes: Buffer.from(value) }
          : undefined;
    }
  };

  const valuesOf = (content: Content): fc.Arbitrary<BodyValue> | undefined => {
    const { kind, schema } = content;
    const nothing = () => new NotGenerated(`no body can be generated for ${content.mediaType}`);
    switch (kind) {
      case 'json':
        return content.items
          ? filterOrGiveUp(arbitraryOf(schema), (list) => Array.isArray(list) && list.length > 0, nothing)
          : arbitraryOf(schema);
      case 'form':
      case 'multipart':
        return filterOrGiveUp(
          arbitraryOf(schema).map((value) => toForm(content, value)),
          (form) => isSurelyValid(schema, form) && Object.keys(form).length > 0,
          nothing,
        );
      case 'text':
        return filterOrGiveUp(textsOf(schema), (value) => value !== '', nothing);
      case 'xml': {
        // XML is not generated from schemas: only examples are sent.
        const texts = Object.values(content.examples).filter((each) => typeof each === 'string');
        return texts.length === 0 ? undefined : fc.constantFrom(...texts);
      }
      case 'binary':
        // The parts are not declared.
        return hasPositions(content.mediaType) ? undefined : fc.uint8Array({ minLength: 1, maxLength: 64 });
    }
  };

  const textsOf = (schema: Schema): fc.Arbitrary<string> =>
    schema === true
      ? text({ minLength: 1 })
      : arbitraryOf({ allOf: [schema, { type: 'string' }] }).map(String);

  return { valuesOf, write, isDeep };
};

/** Generates and serializes bodies. */
export type Bodies = ReturnType<typeof createBodies>;
