import { findUnstorableText, type Json, parseJson, toText } from '../json/parse.ts';
import { collect } from '../parameters/parameters.ts';
import { createTyping } from '../parameters/values.ts';
import { Problem } from '../problems/problem.ts';
import { memberPlace } from '../problems/violations.ts';
import { binaryPlaces } from '../schema/binary-places.ts';
import type { CompileAccepts } from '../schema/branches.ts';
import { memberAt, membersOf, typesOf } from '../schema/shape.ts';

/** A form in parts that was decoded. A schema can only be asked about JSON: a text stands for each file. */
export interface Multipart extends Json {
  /** Puts the files where the texts stand, once the schema has been asked. */
  readonly restoreFiles: () => void;
}

interface Part {
  readonly bytes: Buffer;
  readonly isFile: boolean;
}

/** What one part holds, or several. */
interface Held extends Json {
  /** Puts its files in place; it is itself a member of what holds it. */
  readonly restore?: (holder: object, key: PropertyKey) => void;
}

type ReadPart = (part: Part, place: string) => Held;

/**
 * Node's own parser (RFC 7578), the one behind fetch. It takes every text for UTF-8, and alters what is none: so it is
 * given each byte as a character of its own.
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

/** The text that stands for a file has a character for each byte: its length is what a schema can bound. */
const readFile: ReadPart = ({ bytes }) => ({
  value: bytes.toString('latin1'),
  exact: undefined,
  unstorable: [],
  restore: (holder, key) => {
    if (Object.hasOwn(holder, key)) Reflect.set(holder, key, bytes); // what is readOnly has gone by now
  },
});

const readText: ReadPart = ({ bytes }, place) => {
  const value = toText(bytes, place);
  return { value, exact: undefined, unstorable: findUnstorableText(value, place) };
};

const readAsSent: ReadPart = (part, place) => (part.isFile ? readFile : readText)(part, place);

const readJson: ReadPart = ({ bytes }, place) => parseJson(bytes, place);

const listOf = (items: readonly Held[]): Held => {
  const value = items.map((item) => item.value);
  return {
    value,
    exact: items.map(({ exact }) => exact),
    unstorable: items.flatMap(({ unstorable }) => unstorable),
    restore: () => {
      for (const [index, { restore }] of items.entries()) restore?.(value, index);
    },
  };
};

/** Compiles how a form in parts is decoded by the schema at a pointer: a part is what its member is declared to be. */
export const createMultipartDecoder = (document: unknown, schemaAt: string, acceptsAt: CompileAccepts) => {
  const typing = createTyping(document, acceptsAt);

  const compilePart = (at: string | undefined): ReadPart => {
    if (at === undefined) return readAsSent;
    if (binaryPlaces(document, at).length > 0) return readFile;
    const types = typesOf(document, at);
    if (types.size === 0) return readAsSent;
    if (types.has('object')) return readJson; // the default for objects (OAS 3.1, section 4.8.14)
    const toTyped = typing(at);
    return (part, place) => {
      if (part.isFile) return { value: part.bytes, exact: undefined, unstorable: [] }; // no schema for a text accepts it
      const text = toText(part.bytes, place);
      return { ...toTyped(text), unstorable: findUnstorableText(text, place) };
    };
  };

  const compileField = (at: string | undefined) => {
    const isList = at !== undefined && typesOf(document, at).has('array');
    const read = compilePart(isList ? memberAt(document, at, 'items') : at);
    return (parts: readonly Part[], place: string): Held => {
      const [only] = parts;
      return only && parts.length === 1 && !isList
        ? read(only, place)
        : listOf(parts.map((part, index) => read(part, memberPlace(place, `${index}`)))); // no schema for one accepts several
    };
  };

  const fields = new Map(
    membersOf(document, schemaAt).map((name) => [
      name,
      compileField(memberAt(document, schemaAt, 'properties', name)),
    ]),
  );
  const readOther = compileField(undefined);

  return async (bytes: Buffer, contentType: string): Promise<Multipart> => {
    const parts = (await readParts(bytes, contentType)).map(
      ([name, part]) => [toText(Buffer.from(name, 'latin1'), 'a name in body'), part] as const,
    );
    const members = [...collect(parts)].map(
      ([name, sent]) => [name, (fields.get(name) ?? readOther)(sent, memberPlace('body', name))] as const,
    );
    // Own members, whatever their names: `__proto__` is the client's to choose.
    const value = Object.fromEntries(members.map(([name, held]) => [name, held.value]));
    return {
      value,
      exact: Object.fromEntries(members.map(([name, { exact }]) => [name, exact])),
      unstorable: members.flatMap(([name, { unstorable }]) => [
        ...findUnstorableText(name, 'a name in body'),
        ...unstorable,
      ]),
      restoreFiles: () => {
        for (const [name, { restore }] of members) restore?.(value, name);
      },
    };
  };
};
