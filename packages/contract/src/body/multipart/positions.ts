import { bodyKindOf } from '@trellis/openapi/internal/http';
import {
  type ExactValue,
  listOf,
  memberPlace,
  oncePerKey,
  ownMember,
  valueAt,
} from '@trellis/openapi/internal/json';
import { binaryPlaces, memberAt, typesOf } from '@trellis/openapi/internal/schema';
import { parseJson } from '../../json/parse-json.ts';
import type { AcceptsAt } from '../../validation/references.ts';
import { checkPartType, encodedTypes } from '../media-types.ts';
import { collectParts, createPartReader } from './form.ts';
import type { SentPart } from './parts.ts';

/** How a contract declares the part at one position of a multipart body. */
export interface Position {
  /** The pointer of its schema; `undefined` without a schema. */
  readonly schemaAt: string | undefined;
  /** The media types, or ranges, that it may have; none if it may have any. */
  readonly mediaTypes: readonly string[];
}

/**
 * Compiles a value for each part of a multipart body whose schema is a list, by position (OAS 3.2, Encoding By
 * Position). `count` is the number of different positions: all parts from the last position on are alike.
 */
export const compilePositions = <T>(
  document: unknown,
  schemaAt: string,
  compile: (position: Position) => T,
) => {
  const content = valueAt(document, schemaAt.replace(/\/schema$/, ''));
  const prefixEncoding = ownMember(content, 'prefixEncoding');
  const prefixAt = memberAt(document, schemaAt, 'prefixItems');
  const prefixes = [prefixEncoding, prefixAt === undefined ? undefined : valueAt(document, prefixAt)];
  const last = Math.max(...prefixes.map((prefix) => (Array.isArray(prefix) ? prefix.length : 0)));
  const compiled = oncePerKey((nth: number) =>
    compile({
      schemaAt:
        memberAt(document, schemaAt, 'prefixItems', `${nth}`) ?? memberAt(document, schemaAt, 'items'),
      mediaTypes: encodedTypes(ownMember(prefixEncoding, `${nth}`) ?? ownMember(content, 'itemEncoding')),
    }),
  );
  return { count: last + 1, at: (nth: number): T => compiled(Math.min(nth, last)) };
};

/**
 * Compiles a parser for a multipart body whose parts are the items of a list. The schema of a part determines its type;
 * if the schema leaves the type open, the media type does.
 */
export const createPositionsParser = (document: unknown, schemaAt: string, acceptsAt: AcceptsAt) => {
  const compilePart = createPartReader(document, acceptsAt);
  const positions = compilePositions(document, schemaAt, ({ schemaAt: at, mediaTypes }) => {
    const isBinary = at !== undefined && binaryPlaces(document, at).length > 0;
    const types = [...(at === undefined ? [] : typesOf(document, at))];
    const isStructure = types.length > 0 && types.every((type) => type === 'object' || type === 'array');
    const read = compilePart(at);
    return (bytes: Buffer, sent: SentPart['mediaType'], place: string): ExactValue => {
      const mediaType = sent ?? mediaTypes[0] ?? '';
      checkPartType(mediaTypes, mediaType, place);
      const kind = bodyKindOf(mediaType);
      if (!isBinary && (isStructure || kind === 'json')) return parseJson(bytes, place);
      return read({ bytes, isFile: types.length === 0 && kind !== 'text' }, place);
    };
  });
  return async (bytes: Buffer, contentType: string) =>
    listOf(
      (await collectParts(bytes, contentType)).map((part, nth) =>
        positions.at(nth)(part.bytes, part.mediaType, memberPlace('body', `${nth}`)),
      ),
    );
};
