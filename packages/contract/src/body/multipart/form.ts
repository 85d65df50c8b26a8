import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { bodyKindOf } from '@trellis/openapi/internal/http';
import {
  type ExactValue,
  listOf,
  memberPlace,
  objectOf,
  once,
  ownMember,
  plainValue,
  valueAt,
} from '@trellis/openapi/internal/json';
import { binaryPlaces, memberAt, membersOf, throughRefs, typesOf } from '@trellis/openapi/internal/schema';
import { parseJson, toStorableText } from '../../json/parse-json.ts';
import { readBrackets, splitName } from '../../parameters/brackets.ts';
import { groupByName } from '../../parameters/places.ts';
import type { Leaf } from '../../parameters/styles.ts';
import {
  acceptedBy,
  createTyping,
  firstAccepted,
  type LeafReader,
  readFirst,
  readingsAt,
} from '../../parameters/values.ts';
import type { AcceptsAt } from '../../validation/references.ts';
import { encodedTypes } from '../media-types.ts';
import { readParts, readWhole, type SentPart } from './parts.ts';

/** A part whose bytes have all arrived. */
export interface ReceivedPart {
  readonly bytes: Buffer;
  readonly isFile: boolean;
}

/** A part under the name that was sent. */
type NamedPart = readonly [name: string, part: ReceivedPart];

/** A part of a body that has arrived completely. */
interface WholePart extends ReceivedPart, Pick<SentPart, 'name' | 'mediaType'> {}

/** The types of values that a part holds as JSON. */
const STRUCTURES = ['object', 'array'];

type ReadPart = (part: ReceivedPart, place: string) => ExactValue;

/** Reads a file as a text with one character per byte, so that `maxLength` in a schema limits its size. */
const readFile: ReadPart = ({ bytes }) => ({ ...plainValue(bytes.toString('latin1')), bytes });

/** A text that a store can keep. */
const isText = (bytes: Buffer): boolean => isUtf8(bytes) && !bytes.includes(0);

const readText: ReadPart = ({ bytes }, place) => plainValue(toStorableText(bytes, place));

const readAsSent: ReadPart = (part, place) => (part.isFile ? readFile : readText)(part, place);

const readJson: ReadPart = ({ bytes }, place) => parseJson(bytes, place);

/** Parses a part that starts like a JSON object or list; `undefined` for any other part, or if parsing fails. */
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
    const structures = STRUCTURES.filter((type) => types.has(type));
    if (structures.length === types.size) return readJson; // the default for objects (OAS 3.1, section 4.8.14)
    const toTyped = typing(at);
    const readTyped: ReadPart = ({ bytes }, place) => toTyped(toStorableText(bytes, place));
    return (part, place) => {
      if (part.isFile && types.has('object')) return readJson(part, place);
      if (part.isFile && !types.has('string')) return plainValue(part.bytes); // no schema for a number accepts it
      if (part.isFile && !isText(part.bytes)) return readFile(part, place);
      const ways = [
        ({ bytes }: ReceivedPart) => tryJson(bytes, place),
        (text: ReceivedPart) => readTyped(text, place),
      ];
      return (structures.length > 0 && firstAccepted(ways, acceptsAt(at))(part)) || readTyped(part, place);
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

/** The member of a form: its name, its place in messages, and the pointer of its schema, if it has one. */
interface Member {
  readonly name: string;
  readonly place: string;
  readonly at: string | undefined;
}

/** The types that a schema allows; none without a schema. */
const typesAt = (document: unknown, at: string | undefined): ReadonlySet<string> =>
  at === undefined ? new Set() : typesOf(document, at);

/** Compiles how the parts of one member are read whose names have no brackets, or `[]`. */
const createPlainReader = (document: unknown, schemaAt: string, acceptsAt: AcceptsAt) => {
  const compilePart = createPartReader(document, acceptsAt);
  const encodings = valueAt(document, schemaAt.replace(/schema$/, 'encoding'));
  return ({ name, place, at }: Member): ((parts: readonly ReceivedPart[]) => ExactValue) => {
    const types = typesAt(document, at);
    const isList = types.has('array');
    const itemAt = isList && at !== undefined ? memberAt(document, at, 'items') : at;
    const readItem = compilePart(itemAt);
    const readOne = isList && types.size > 1 ? compilePart(at) : undefined;
    const readList = (parts: readonly ReceivedPart[]): ExactValue =>
      listOf(parts.map((part, index) => readItem(part, memberPlace(place, `${index}`))));

    const itemTypes = typesAt(document, itemAt);
    const mayBeJson =
      encodedTypes(ownMember(encodings, name)).some((type) => bodyKindOf(type) === 'json') ||
      STRUCTURES.some((type) => itemTypes.has(type));
    const tryJsonList = ({ bytes }: ReceivedPart): ExactValue | undefined => {
      const json = mayBeJson ? tryJson(bytes, place) : undefined;
      return Array.isArray(json?.value) ? json : undefined;
    };
    return (parts) => {
      const [only] = parts;
      if (!only || parts.length > 1) return readList(parts); // a schema for one part refuses a list
      if (!isList || at === undefined) return readItem(only, place);
      const ways = [tryJsonList, () => readList(parts), (part: ReceivedPart) => readOne?.(part, place)];
      return firstAccepted(ways, acceptsAt(at))(only) ?? readList(parts);
    };
  };
};

/** Compiles how the leaves of names in brackets are read: by the first of several schemas that accepts one. */
const createLeafReader = (document: unknown, acceptsAt: AcceptsAt, place: string): LeafReader => {
  const compilePart = createPartReader(document, acceptsAt);
  return (pointers) => {
    const readers = (pointers.length === 0 ? [undefined] : pointers).map(compilePart);
    const ways = readers.map((read) => (part: ReceivedPart) => read(part, place));
    const readPart = firstAccepted(ways, acceptedBy(acceptsAt, pointers));
    return (leaf) => {
      const part = { bytes: Buffer.from(leaf), isFile: typeof leaf !== 'string' };
      return readPart(part) ?? readAsSent(part, place);
    };
  };
};

/** Compiles how multipart/form-data is decoded by one schema at a pointer, and by the encodings beside the body's schema. */
const compileForm = (document: unknown, bodyAt: string, schemaAt: string, acceptsAt: AcceptsAt) => {
  const compilePlain = createPlainReader(document, bodyAt, acceptsAt);
  const names = new Set(membersOf(document, schemaAt));
  const places = new Map([...names].map((name) => [name, memberAt(document, schemaAt, 'properties', name)]));

  /** Reads the parts of one member, whose names have brackets or not. */
  const compileField = (name: string, at?: string) => {
    const place = memberPlace('body', name);
    const types = typesAt(document, at);
    const readPlain = compilePlain({ name, place, at });
    const rules = { name, place, declared: names, isList: types.has('array') && types.size === 1 };
    const toTyped = once(() =>
      createTyping(document, acceptsAt, createLeafReader(document, acceptsAt, place))(at ?? ''),
    );
    const toLeaf = ({ bytes, isFile }: ReceivedPart): Leaf => (isFile ? bytes : toStorableText(bytes, place));
    return (sent: ReadonlyMap<string, readonly ReceivedPart[]>): ExactValue => {
      const isPlain = [...sent.keys()].every((each) => each === name || each === `${name}[]`);
      const texts = isPlain ? undefined : readBrackets(rules, sent, toLeaf);
      return texts === undefined ? readPlain([...sent.values()].flat()) : toTyped()(texts);
    };
  };
  const fields = new Map([...places].map(([name, at]) => [name, compileField(name, at)]));

  /**
   * The member that a name belongs to. Names with brackets belong to a list or an object, and `files[]` to any member, unless
   * the schema declares that name itself.
   */
  const memberNameOf = (sent: string): string => {
    const [base = '', steps = []] = splitName(sent) ?? [];
    const at = places.get(base);
    if (names.has(sent) || at === undefined) return sent;
    const types = typesOf(document, at);
    return steps.join() === '' || STRUCTURES.some((type) => types.has(type)) ? base : sent;
  };

  /** The form that parts make, in the order in which they were sent. */
  const decode = (parts: readonly NamedPart[]): ExactValue => {
    const members = groupByName(parts.map((part) => [memberNameOf(part[0]), part] as const));
    return objectOf(
      [...members].map(([name, own]) => {
        const read = fields.get(name) ?? compileField(name);
        return [name, read(groupByName(own))] as const;
      }),
    );
  };

  return { names, memberNameOf, decode };
};

/** Compiles how multipart/form-data is decoded by the schema at a pointer: a part has the type of its member. */
export const createMultipartDecoder = (document: unknown, schemaAt: string, acceptsAt: AcceptsAt) => {
  const readings = readingsAt(document, throughRefs(document, schemaAt));
  const forms = readings.map((at) => compileForm(document, schemaAt, at, acceptsAt));
  const names = new Set(forms.flatMap((form) => [...form.names]));
  const memberNameOf = (sent: string): string =>
    forms.map((form) => form.memberNameOf(sent)).find((name) => name !== sent) ?? sent;
  const read = readFirst(
    forms.map((form) => form.decode),
    acceptsAt(schemaAt),
  );
  const decode = (parts: readonly NamedPart[]): ExactValue => read(parts, parts.length) ?? objectOf([]);

  const parse = async (bytes: Buffer, contentType: string): Promise<ExactValue> =>
    decode((await collectParts(bytes, contentType)).map((part) => [part.name, part]));

  return { names, memberNameOf, decode, parse };
};
