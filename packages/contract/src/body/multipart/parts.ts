import type { Readable } from 'node:stream';
import { parse } from 'content-type';
import { toStorableText } from '../../json/parse-json.ts';
import { decodePercent } from '../../parameters/places.ts';
import { Problem, schemaMismatch } from '../../problems/problem.ts';
import { addChunk } from '../read-body.ts';

/** A part of a multipart body (RFC 2046, section 5.1). */
export interface SentPart {
  /** Its name in a form (RFC 7578); empty elsewhere. */
  readonly name: string;
  /** The file name from the client, without a path; `undefined` if the part is not a file. */
  readonly filename: string | undefined;
  readonly mediaType: string | undefined;
  /** Returns the next bytes; `undefined` at the end of the part. Unread bytes are dropped before the next part. */
  readonly nextBytes: () => Promise<Buffer | undefined>;
  /** How many bytes of it have arrived. */
  readonly size: () => number;
}

/** Reads all bytes of a part. `onBytes` is called with the size of each chunk, and throws if the part is too large. */
export const readWhole = async (
  { nextBytes }: SentPart,
  onBytes: (size: number) => void = () => {},
): Promise<Buffer> => {
  let chunks: Buffer[] = [];
  for (let chunk = await nextBytes(); chunk; chunk = await nextBytes()) {
    onBytes(chunk.length);
    chunks = addChunk(chunks, chunk);
  }
  return Buffer.concat(chunks); // a slice would keep its whole chunk in memory
};

/** More than any client sends. */
const MAX_HEADER_BYTES = 16_384;

/** RFC 2046, section 5.1.1. */
const LONGEST_BOUNDARY = 70;

/** A part costs more than its bytes. */
const MOST_PARTS = 1000;

const malformed = (mediaType: string): Problem =>
  new Problem('malformedJson', `body is not valid ${mediaType}`);

/** Browsers write the signs that would end a name in this way (HTML, section 4.10.21.8). */
const toBytes = (name: string): Buffer =>
  Buffer.from(name.replace(/%(?:0A|0D|22)/gi, decodeURIComponent), 'latin1');

/**
 * The name of a file without a path. `.` and `..` are refused: a handler could take them for a file name. RFC 7578 forbids
 * `filename*`, and some clients send it for names that are not ASCII.
 */
const filenameIn = ({ filename, 'filename*': extended }: Record<string, string>): string | undefined => {
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(extended ?? '') ?? [];
  if (filename === undefined && encoded === undefined) return undefined;
  const bytes = filename === undefined ? decodePercent(`${encoded}`) : toBytes(filename);
  const name = toStorableText(Buffer.from(bytes), 'a filename in body').replace(/^.*[\\/]/s, '');
  if (name !== '.' && name !== '..') return name;
  throw schemaMismatch([{ place: 'a filename in body', message: `must not be ${name}` }]);
};

/** Reads the header of a part: lines after the padding of its delimiter, with a character for each byte. */
const readHeader = (bytes: Buffer, ofBody: string): Pick<SentPart, 'name' | 'filename' | 'mediaType'> => {
  const [padding = '', ...lines] = bytes.toString('latin1').split('\r\n');
  const fields = new Map(
    lines.map((line) => {
      const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*)$/.exec(line) ?? [];
      if (name === '') throw malformed(ofBody);
      return [name.toLowerCase(), value];
    }),
  );
  const { type, parameters } = parse(fields.get('content-disposition') ?? '');
  const isForm = ofBody === 'multipart/form-data';
  const { name = isForm ? undefined : '' } = parameters;
  if (padding.trim() !== '' || (isForm && type !== 'form-data') || name === undefined)
    throw malformed(ofBody);
  if (!isForm && /^(?:base64|quoted-printable)/i.test(fields.get('content-transfer-encoding') ?? ''))
    throw new Problem('unsupportedMediaType', 'send the parts of body without a Content-Transfer-Encoding');
  return {
    name: toStorableText(toBytes(name), 'a name in body'),
    filename: filenameIn(parameters),
    mediaType: fields.get('content-type'),
  };
};

/** Reads a body up to each delimiter. `hold` is called with the bytes in memory. */
const createScanner = (source: Readable, type: string, delimiter: Buffer, hold: (bytes: number) => void) => {
  const chunks: AsyncIterator<Buffer> = source[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.from('\r\n'); // before the first delimiter no line needs to end
  let isInPart = true; // the preamble before the first part is dropped like a part
  let count = { bytes: 0 };
  const readOn = async (): Promise<void> => {
    rest = Buffer.from(rest); // a slice would keep its whole chunk in memory
    hold(rest.length);
    const { value, done } = await chunks.next();
    if (done) throw malformed(type);
    rest = rest.length === 0 ? value : Buffer.concat([rest, value]);
    hold(rest.length);
  };
  /** Where a delimiter may begin at the end of the rest; the length of the rest if none does. A delimiter has one `\r`. */
  const endOfBytes = (): number => {
    const at = rest.lastIndexOf('\r');
    return at !== -1 && rest.subarray(at).equals(delimiter.subarray(0, rest.length - at)) ? at : rest.length;
  };
  /** Removes `bytes` bytes from the rest and returns them; skips the next `more` bytes. */
  const take = (bytes: number, more = 0): Buffer => {
    const taken = rest.subarray(0, bytes);
    rest = rest.subarray(bytes + more);
    return taken;
  };

  return {
    chunks,
    /** The next bytes of the part; none at its end. */
    async nextBytes(): Promise<Buffer | undefined> {
      for (; isInPart; await readOn()) {
        const end = rest.indexOf(delimiter);
        isInPart = end === -1;
        const bytes = isInPart ? take(endOfBytes()) : take(end, delimiter.length);
        count.bytes += bytes.length;
        if (bytes.length > 0) return bytes;
        if (!isInPart) break;
      }
      return undefined;
    },
    /** Whether the delimiter was the last one. */
    async isLast(): Promise<boolean> {
      while (rest.length < 2) await readOn();
      return rest.subarray(0, 2).equals(Buffer.from('--'));
    },
    /** Starts the next part: the bytes of its header, and the count of the bytes after it. */
    async nextHeader() {
      let end = rest.indexOf('\r\n\r\n');
      for (; end === -1 && rest.length <= MAX_HEADER_BYTES; end = rest.indexOf('\r\n\r\n')) await readOn();
      if (end === -1 || end > MAX_HEADER_BYTES)
        throw new Problem(
          'bodyTooLarge',
          `the header of a part in body is larger than ${MAX_HEADER_BYTES} bytes`,
        );
      isInPart = true;
      count = { bytes: 0 };
      return { header: take(end, 4), count };
    },
  };
};

/** The delimiter of the parts of a body, by its Content-Type. */
const delimiterIn = (type: string, { boundary }: Readonly<Record<string, string>>): Buffer => {
  if (boundary === undefined) throw malformed(type);
  if (boundary === '' || boundary.length > LONGEST_BOUNDARY)
    throw new Problem('malformedJson', `the boundary of body must have 1 to ${LONGEST_BOUNDARY} characters`);
  return Buffer.from(`\r\n--${boundary}`, 'latin1');
};

/**
 * Reads the parts of a body in order, as they arrive. Only a chunk of the source and the header of a part are kept in
 * memory; `hold` is called with their size in bytes. docs/reference/dependencies.md explains why Busboy is not used.
 */
export async function* readParts(
  source: Readable,
  contentType: string,
  hold: (bytes: number) => void = () => {},
): AsyncGenerator<SentPart> {
  const { type, parameters } = parse(contentType);
  const scanner = createScanner(source, type, delimiterIn(type, parameters), hold);
  let reading: Promise<unknown> = Promise.resolve();
  try {
    while (await scanner.nextBytes());
    for (let nth = 0; !(await scanner.isLast()); nth++) {
      if (nth === MOST_PARTS) throw new Problem('bodyTooLarge', `the body has more than ${MOST_PARTS} parts`);
      const { header, count } = await scanner.nextHeader();
      const nextBytes = () => {
        const bytes = scanner.nextBytes();
        reading = bytes;
        return bytes;
      };
      yield { ...readHeader(header, type), nextBytes, size: () => count.bytes };
      await reading; // the caller may request the next part before its read resolves
      while (await scanner.nextBytes());
    }
    while (!(await scanner.chunks.next()).done); // the epilogue is ignored (RFC 2046, section 5.1.1)
  } finally {
    hold(0);
    source.destroy();
  }
}
