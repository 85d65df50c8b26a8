import { Readable } from 'node:stream';
import { isTree, memberPlace, ownMember, valueAt } from '@trellis/openapi/internal/json';
import { binaryPlaces, isLeftOut, memberAt, typesOf } from '@trellis/openapi/internal/schema';
import { readingsAt } from '../../parameters/values.ts';
import { Problem, schemaMismatch } from '../../problems/problem.ts';
import type { AcceptsAt } from '../../validation/references.ts';
import { checkPartType, encodedTypes } from '../media-types.ts';
import type { FormReading, Upload } from '../upload.ts';
import { createMultipartDecoder, type ReceivedPart } from './form.ts';
import { readParts, readWhole, type SentPart } from './parts.ts';

/** A file in a form that is read while it arrives. */
export interface UploadedFile<Name extends string = string> extends Omit<Upload, 'size'> {
  readonly name: Name;
  /** The name from the client, without a path. Show it to people; do not use it as a path on disk. */
  readonly filename: string | undefined;
}

/** A field in a form that is read while it arrives: valid by its own schema, and decoded. */
export interface UploadedField<Name extends string = string, Value = unknown> {
  readonly name: Name;
  readonly value: Value;
}

/** Compiles how one member of a body is validated and decoded, without the others. */
export type ReadMember = (name: string, schemaAt: string) => (value: unknown, exact: unknown) => unknown;

/** Maximum length of the placeholder for a file. A schema can limit the length of a file up to this value. */
const LONGEST_STAND_IN = 65_536;

/** The memory of a part beside its bytes and its name. */
const PART_BYTES = 1024;

/** Placeholder for a file in the complete form. It has as many bytes as have arrived by then, up to the maximum. */
const standInFor = ({ size }: SentPart): ReceivedPart => ({
  get bytes() {
    return Buffer.alloc(Math.min(size(), LONGEST_STAND_IN));
  },
  isFile: true,
});

/** A declared member of a form. */
interface Member {
  readonly isFile: (part: SentPart) => boolean;
  /** Reads one part of a field: the whole value, or items of a list. */
  readonly read: (part: ReceivedPart) => readonly unknown[];
  readonly checkMediaType: (mediaType: string) => void;
  readonly maxLength: number;
}

/** Compiles how each declared member of a form is read; members that are left out of requests are `undefined`. */
const compileMembers = (
  document: unknown,
  schemaAt: string,
  { names, decode }: ReturnType<typeof createMultipartDecoder>,
  readMember: ReadMember,
): ReadonlyMap<string, Member | undefined> => {
  const encodings = valueAt(document, schemaAt.replace(/schema$/, 'encoding'));
  const compileMember = (name: string): Member | undefined => {
    const [at] = readingsAt(document, schemaAt).flatMap(
      (each) => memberAt(document, each, 'properties', name) ?? [],
    );
    if (at !== undefined && isLeftOut(document, at, 'request')) return undefined;
    const types = at === undefined ? new Set<string>() : typesOf(document, at);
    const isList = types.size === 1 && types.has('array');
    const itemAt = isList && at !== undefined ? memberAt(document, at, 'items') : at;
    const binary = itemAt === undefined ? [] : binaryPlaces(document, itemAt);
    const isOpen = itemAt === undefined || typesOf(document, itemAt).size === 0;
    const readItem = itemAt === undefined ? (value: unknown) => value : readMember(name, itemAt);
    const mediaTypes = encodedTypes(ownMember(encodings, name));
    return {
      isFile: ({ filename }) => binary.length > 0 || (isOpen && filename !== undefined),
      read(part) {
        const { value, exact, files = [] } = decode([[name, part]]);
        const [own, ownExact] = [ownMember(value, name), ownMember(exact, name)];
        const values =
          Array.isArray(own) && types.has('array')
            ? own.map((item, nth) => readItem(item, ownMember(ownExact, `${nth}`)))
            : [readItem(own, ownExact)];
        return files.length === 0 ? values : files.map(({ bytes }) => bytes);
      },
      checkMediaType: (mediaType) => checkPartType(mediaTypes, mediaType, memberPlace('body', name)),
      maxLength: Math.min(
        ...binary.map((each) => Number(ownMember(valueAt(document, each), 'maxLength') ?? Infinity)),
      ),
    };
  };
  return new Map([...names].map((name) => [name, compileMember(name)]));
};

/** Opens a part as a file. */
const openFile = (
  name: string,
  { filename, mediaType = 'application/octet-stream', nextBytes, size }: SentPart,
  member: Member | undefined,
): UploadedFile => {
  const { maxLength = Infinity } = member ?? {};
  member?.checkMediaType(mediaType);
  const message = `must not have more than ${maxLength} bytes`;
  const pass = (bytes: Buffer | undefined): void => {
    if (size() > maxLength) throw schemaMismatch([{ place: memberPlace('body', name), message }]);
    stream.push(bytes ?? null);
  };
  const stream = new Readable({
    highWaterMark: 0, // unread bytes stay in the stream of the upload, which counts them
    read: () =>
      void nextBytes()
        .then(pass)
        .catch((error) => stream.destroy(error)),
  });
  stream.on('error', () => {}); // the reader gets the error; without a reader it must not be thrown
  return { name, filename, mediaType, stream };
};

/** Compiles how a form is read part by part, in the order in which they arrive, by the schema at a pointer. */
export const createUploadForm = (
  document: unknown,
  schemaAt: string,
  acceptsAt: AcceptsAt,
  readMember: ReadMember,
) => {
  const decoder = createMultipartDecoder(document, schemaAt, acceptsAt);
  const { names, memberNameOf, decode } = decoder;
  const members = compileMembers(document, schemaAt, decoder, readMember);

  return async function* (
    { stream: source, mediaType }: Upload,
    { share, wholeLimit, finish }: FormReading,
  ): AsyncGenerator<UploadedField | UploadedFile> {
    const sent: [name: string, part: ReceivedPart][] = [];
    const given = new Set<string>();
    let fieldBytes = 0;
    const countField = (bytes: number): void => {
      fieldBytes += bytes;
      if (fieldBytes > wholeLimit)
        throw new Problem('bodyTooLarge', `the fields of the body are larger than ${wholeLimit} bytes`);
      share.take(bytes);
    };
    for await (const part of readParts(source, mediaType, share.part())) {
      share.take(PART_BYTES + part.name.length);
      const name = memberNameOf(part.name);
      const member = members.get(name);
      const isGiven = member !== undefined || names.size === 0;
      const isFile = member ? member.isFile(part) : part.filename !== undefined;
      if (isFile) {
        sent.push([part.name, standInFor(part)]);
        if (!isGiven) continue;
        given.add(name);
        const file = openFile(name, part, member);
        yield file;
        file.stream.destroy();
      } else {
        const bytes = await readWhole(part, countField);
        const field: ReceivedPart = { bytes, isFile: part.filename !== undefined };
        sent.push([part.name, field]);
        const isWhole = part.name === name || part.name === `${name}[]`;
        if (!isGiven || !isWhole) continue; // a member that is sent in brackets is complete at the end
        given.add(name);
        for (const value of member ? member.read(field) : [field.bytes.toString()]) yield { name, value };
      }
    }
    // The complete form can be validated now. Members that were not sent get their defaults.
    const form = finish(decode(sent));
    for (const [name, value] of Object.entries(isTree(form) ? form : {}))
      if (members.get(name) && !given.has(name))
        for (const item of [value].flat()) yield { name, value: item };
  };
};
