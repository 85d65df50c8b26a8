import { hasPositions } from '@trellis/openapi/internal/http';
import { toJson } from '@trellis/openapi/internal/json';
import fc from 'fast-check';
import type { Schemas } from '../document/contract.ts';
import type { Content } from '../document/operations.ts';
import { filterOrGiveUp, NotGenerated } from '../generation/arbitraries.ts';
import { text } from '../generation/scalars.ts';
import type { Json } from '../values/json.ts';
import type { Schema } from '../values/schema.ts';
import type { WrittenBody } from './call.ts';
import { BOUNDARY, memberOfRange, toForm, writeForm, writeParts } from './forms.ts';

/** The value of a body; bytes if its media type has no other representation. */
export type BodyValue = Json | Uint8Array;

const writeJson = (
  schemas: Schemas,
  content: Content,
  contentType: string,
  value: Json,
): WrittenBody | undefined => {
  if (!content.items) return { contentType, bytes: Buffer.from(toJson(value)) };
  if (!Array.isArray(value) || value.length === 0) return undefined; // an empty sequence is no body
  if (content.items === 'parts') {
    const bytes = writeParts(schemas, content, value);
    return bytes && { contentType: `${contentType}; boundary=${BOUNDARY}`, bytes };
  }
  const start = content.items === 'records' ? '\x1e' : '';
  const lines = value.map((item) => `${start}${toJson(item)}\n`);
  return { contentType, bytes: Buffer.from(lines.join('')) };
};

/** Serializes a valid or invalid body; `undefined` if its media type cannot express it. */
export const writeBody = (schemas: Schemas, content: Content, value: BodyValue): WrittenBody | undefined => {
  const contentType = memberOfRange(content.mediaType);
  if (value instanceof Uint8Array) return { contentType, bytes: Buffer.from(value) };
  if (content.kind === 'json') return writeJson(schemas, content, contentType, value);
  if (content.kind === 'form' || content.kind === 'multipart')
    return writeForm(schemas, content, contentType, value);
  // An empty text is no body.
  return typeof value === 'string' && value !== '' ? { contentType, bytes: Buffer.from(value) } : undefined;
};

const textsOf = ({ arbitraryOf }: Schemas, schema: Schema): fc.Arbitrary<string> =>
  schema === true ? text({ minLength: 1 }) : arbitraryOf({ allOf: [schema, { type: 'string' }] }).map(String);

/** Arbitrary of valid bodies; `undefined` if none can be generated for the media type. */
export const bodiesOf = (schemas: Schemas, content: Content): fc.Arbitrary<BodyValue> | undefined => {
  const { kind, schema, mediaType, items } = content;
  const problem = new NotGenerated(`no body can be generated for ${mediaType}`);
  const isFilled = (value: Json): boolean => Array.isArray(value) && value.length > 0;
  switch (kind) {
    case 'json': {
      const values = schemas.arbitraryOf(schema);
      return items ? filterOrGiveUp(values, isFilled, problem) : values;
    }
    case 'form':
    case 'multipart':
      return filterOrGiveUp(
        schemas.arbitraryOf(schema).map((value) => toForm(schemas, content, value)),
        (form) => schemas.isSurelyValid(schema, form) && Object.keys(form).length > 0,
        problem,
      );
    case 'text':
      return filterOrGiveUp(textsOf(schemas, schema), (value) => value !== '', problem);
    case 'xml': {
      // XML is not generated from schemas: only examples are sent.
      const texts = Object.values(content.examples).filter((each) => typeof each === 'string');
      return texts.length === 0 ? undefined : fc.constantFrom(...texts);
    }
    case 'binary':
      // The parts are not declared.
      return hasPositions(mediaType) ? undefined : fc.uint8Array({ minLength: 1, maxLength: 64 });
  }
};
