import { type ExactValue, listOf, objectOf, plainValue } from '../json/exact-value.ts';
import { findUnstorableText, parseJson, toText } from '../json/parse.ts';
import { groupByName } from '../parameters/places.ts';
import { createTyping } from '../parameters/values.ts';
import { Problem } from '../problems/problem.ts';
import { memberPlace } from '../problems/violations.ts';
import { binaryPlaces } from '../schema/binary-places.ts';
import type { AcceptsAt } from '../schema/branches.ts';
import { memberAt, membersOf, typesOf } from '../schema/shape.ts';

interface Part {
  readonly bytes: Buffer;
  readonly isFile: boolean;
}

type ReadPart = (part: Part, place: string) => ExactValue;

/**
 * Parses with Node's own parser (RFC 7578), the one behind fetch. It would replace bytes that are not UTF-8, so each byte
 * is passed as a character of its own.
 */
const readParts = async (bytes: Buffer, contentType: string): Promise<[name: string, part: Part][]> => {
  try {
    const sent = new Response(bytes.toString('latin1'), { headers: { 'content-type': contentType } });
    const entries = [...(await sent.formData())];
    return await Promise.all(
      entries.map(async ([name, entry]): Promise<[string, Part]> => {
        const isFile = typeof entry !== 'string';
        return [name, { bytes: Buffer.from(isFile ? await entry.text() : entry, 'latin1'), isFile }];
      }),
    );
  } catch {
    throw new Problem('malformedJson', 'body is not valid multipart/form-data');
  }
};

/** The text that stands for a file has a character for each byte, so that a schema can bound its length. */
const readFile: ReadPart = ({ bytes }) => ({ ...plainValue(bytes.toString('latin1')), bytes });

const readText: ReadPart = ({ bytes }, place) => {
  const value = toText(bytes, place);
  return { ...plainValue(value), unstorable: findUnstorableText(value, place) };
};

const readAsSent: ReadPart = (part, place) => (part.isFile ? readFile : readText)(part, place);

const readJson: ReadPart = ({ bytes }, place) => parseJson(bytes, place);

/** Compiles how multipart/form-data is decoded by the schema at a pointer: a part has the type of its member. */
export const createMultipartDecoder = (document: unknown, schemaAt: string, acceptsAt: AcceptsAt) => {
  const typing = createTyping(document, acceptsAt);

  const compilePart = (at: string | undefined): ReadPart => {
    if (at === undefined) return readAsSent;
    if (binaryPlaces(document, at).length > 0) return readFile;
    const types = typesOf(document, at);
    if (types.size === 0) return readAsSent;
    if (types.has('object')) return readJson; // the default for objects (OAS 3.1, section 4.8.14)
    const toTyped = typing(at);
    return (part, place) => {
      if (part.isFile) return plainValue(part.bytes); // a schema for a text refuses bytes
      const text = toText(part.bytes, place);
      return { ...toTyped(text), unstorable: findUnstorableText(text, place) };
    };
  };

  const compileField = (at: string | undefined) => {
    const isList = at !== undefined && typesOf(document, at).has('array');
    const read = compilePart(isList ? memberAt(document, at, 'items') : at);
    return (parts: readonly Part[], place: string): ExactValue => {
      const [only] = parts;
      return only && parts.length === 1 && !isList
        ? read(only, place)
        : listOf(parts.map((part, index) => read(part, memberPlace(place, `${index}`)))); // a schema for one part refuses a list
    };
  };

  const fields = new Map(
    membersOf(document, schemaAt).map((name) => [
      name,
      compileField(memberAt(document, schemaAt, 'properties', name)),
    ]),
  );
  const readOther = compileField(undefined);

  return async (bytes: Buffer, contentType: string): Promise<ExactValue> => {
    const parts = (await readParts(bytes, contentType)).map(
      ([name, part]) => [toText(Buffer.from(name, 'latin1'), 'a name in body'), part] as const,
    );
    return objectOf(
      [...groupByName(parts)].map(([name, sent]) => {
        const member = (fields.get(name) ?? readOther)(sent, memberPlace('body', name));
        const inName = findUnstorableText(name, 'a name in body');
        return [name, { ...member, unstorable: [...inName, ...(member.unstorable ?? [])] }];
      }),
    );
  };
};
