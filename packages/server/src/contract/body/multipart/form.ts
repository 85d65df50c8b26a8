import { Readable } from 'node:stream';
import { type ExactValue, listOf, memberPlace, objectOf, plainValue } from '@trellis/openapi/json';
import { binaryPlaces, memberAt, membersOf, typesOf } from '@trellis/openapi/schema';
import { parseJson, toStorableText } from '../../json/parse-json.ts';
import { groupByName } from '../../parameters/places.ts';
import { createTyping, firstAccepted } from '../../parameters/values.ts';
import type { AcceptsAt } from '../../validation/branches.ts';
import { readParts, readWhole, type SentPart } from './parts.ts';

/** A part whose bytes have all arrived. */
export interface ReceivedPart {
  readonly bytes: Buffer;
  readonly isFile: boolean;
}

type NamedPart = readonly [name: string, part: ReceivedPart];

/** One of the parts of a body that has arrived as a whole. */
interface WholePart extends ReceivedPart, Pick<SentPart, 'name' | 'mediaType'> {}

type ReadPart = (part: ReceivedPart, place: string) => ExactValue;

/** The text that stands for a file has a character for each byte, so that a schema can bound its length. */
const readFile: ReadPart = ({ bytes }) => ({ ...plainValue(bytes.toString('latin1')), bytes });

const readText: ReadPart = ({ bytes }, place) => plainValue(toStorableText(bytes, place));

const readAsSent: ReadPart = (part, place) => (part.isFile ? readFile : readText)(part, place);

const readJson: ReadPart = ({ bytes }, place) => parseJson(bytes, place);

/** A text that may be JSON: an object or a list. Other values have a text of their own. */
const tryJson = (bytes: Buffer, place: string): ExactValue | undefined => {
  try {
    return /^\s*[{[]/.test(bytes.toString('latin1', 0, 100)) ? parseJson(bytes, place) : undefined;
  } catch {
    return undefined;
  }
};

/** Makes what compiles how a part is read by the schema at a pointer. */
export const createPartReader = (document: unknown, acceptsAt: AcceptsAt) => {
  const typing = createTyping(document, acceptsAt);
  return (at: string | undefined): ReadPart => {
    if (at === undefined) return readAsSent;
    if (binaryPlaces(document, at).length > 0) return readFile;
    const types = typesOf(document, at);
    if (types.size === 0) return readAsSent;
    const isObject = types.has('object');
    if (isObject && types.size === 1) return readJson; // the default for objects (OAS 3.1, section 4.8.14)
    const toTyped = typing(at);
    const readTyped: ReadPart = ({ bytes }, place) => toTyped(toStorableText(bytes, place));
    return (part, place) => {
      if (part.isFile) return isObject ? readJson(part, place) : plainValue(part.bytes); // a schema for a text refuses bytes
      const ways = [
        ({ bytes }: ReceivedPart) => tryJson(bytes, place),
        (text: ReceivedPart) => readTyped(text, place),
      ];
      return (isObject && firstAccepted(ways, acceptsAt(at))(part)) || readTyped(part, place);
    };
  };
};

/** Reads the parts of a body that has arrived as a whole. */
export const collectParts = async (bytes: Buffer, contentType: string): Promise<WholePart[]> => {
  const parts: WholePart[] = [];
  for await (const part of readParts(Readable.from([bytes]), contentType)) {
    const { name, filename, mediaType } = part;
    parts.push({ name, mediaType, bytes: await readWhole(part), isFile: filename !== undefined });
  }
  return parts;
};

/** Compiles how multipart/form-data is decoded by the schema at a pointer: a part has the type of its member. */
export const createMultipartDecoder = (document: unknown, schemaAt: string, acceptsAt: AcceptsAt) => {
  const compilePart = createPartReader(document, acceptsAt);

  const compileField = (at: string | undefined) => {
    const types = at === undefined ? undefined : typesOf(document, at);
    const isList = types?.has('array') === true;
    const readItem = compilePart(isList && at !== undefined ? memberAt(document, at, 'items') : at);
    const readOne = isList && types.size > 1 ? compilePart(at) : undefined;
    const readList = (parts: readonly ReceivedPart[], place: string): ExactValue =>
      listOf(parts.map((part, index) => readItem(part, memberPlace(place, `${index}`))));
    return (parts: readonly ReceivedPart[], place: string): ExactValue => {
      const [only] = parts;
      if (!only || parts.length > 1) return readList(parts, place); // a schema for one part refuses a list
      if (!isList) return readItem(only, place);
      if (!readOne || at === undefined) return readList(parts, place);
      const ways = [() => readList(parts, place), () => readOne(only, place)];
      return firstAccepted(ways, acceptsAt(at))(parts) ?? readList(parts, place);
    };
  };

  const names = new Set(membersOf(document, schemaAt));
  const fields = new Map(
    [...names].map((name) => [name, compileField(memberAt(document, schemaAt, 'properties', name))]),
  );
  const readOther = compileField(undefined);

  /** `files[]` means `files`, as many clients write a list, unless the schema declares that name itself. */
  const memberNameOf = (sent: string): string => {
    const base = sent.replace(/\[\]$/, '');
    return names.has(base) && !names.has(sent) ? base : sent;
  };

  /** The form that parts make, in the order in which they were sent. */
  const decode = (parts: readonly NamedPart[]): ExactValue =>
    objectOf(
      [...groupByName(parts.map(([name, part]) => [memberNameOf(name), part] as const))].map(
        ([name, own]) => [name, (fields.get(name) ?? readOther)(own, memberPlace('body', name))] as const,
      ),
    );

  const parse = async (bytes: Buffer, contentType: string): Promise<ExactValue> =>
    decode((await collectParts(bytes, contentType)).map((part) => [part.name, part]));

  return { names, memberNameOf, decode, parse };
};
