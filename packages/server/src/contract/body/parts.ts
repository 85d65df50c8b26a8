import type { Readable } from 'node:stream';
import { parse } from 'content-type';
import { toText } from '../json/parse-json.ts';
import { Problem } from '../problems/problem.ts';
import { follow } from './follow.ts';

/** A part of a body that is multipart/form-data (RFC 7578). */
export interface SentPart {
  readonly name: string;
  /** What its sender calls it, without a path; `undefined` if it is no file. */
  readonly filename: string | undefined;
  readonly mediaType: string | undefined;
  /** Its bytes. What is left unread of them is read and dropped before the next part. */
  readonly stream: Readable;
}

/** The fields of a part, each with a character for each byte. */
type PartHeader = Readonly<Record<string, readonly string[] | undefined>>;

/** More than any client sends, and few enough to be in memory for each request. Dicer drops what is above. */
const HEADER_LIMITS = { maxHeaderSize: 16_384, maxHeaderPairs: 100 };

const malformed = (): Problem => new Problem('malformedJson', 'body is not valid multipart/form-data');

/** Browsers write the signs that would end a name in this way (HTML, section 4.10.21.8). */
const unescapeName = (text: string): string => text.replace(/%(?:0A|0D|22)/gi, decodeURIComponent);

const readHeader = (header: PartHeader): Omit<SentPart, 'stream'> => {
  const { type, parameters } = parse(header['content-disposition']?.[0] ?? '');
  const { name, filename } = parameters;
  if (type !== 'form-data' || name === undefined) throw malformed();
  return {
    name: toText(Buffer.from(unescapeName(name), 'latin1'), 'a name in body'),
    filename:
      filename === undefined
        ? undefined
        : unescapeName(
            Buffer.from(filename, 'latin1')
              .toString()
              .replace(/^.*[\\/]/s, ''),
          ),
    mediaType: header['content-type']?.[0],
  };
};

/**
 * Reads the parts of a body one after the other, as they arrive. Dicer, the parser of Busboy, finds them; what their
 * headers mean is read here, because Busboy skips a part that has no name, and replaces bytes that are not UTF-8.
 */
export async function* readParts(source: Readable, contentType: string): AsyncGenerator<SentPart> {
  const { boundary } = parse(contentType).parameters;
  if (boundary === undefined) throw malformed();
  const { Dicer } = await import('@fastify/busboy');
  const dicer = new Dicer({ boundary, ...HEADER_LIMITS });
  const waiting: { readonly part: Readable; readonly header: PartHeader }[] = [];
  let current: Readable | undefined;
  let headers = 0;
  let failure: Error | undefined;
  let isOver = false;
  let wake = (): void => {};
  const untilNews = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });
  const finish = (error?: Error): void => {
    failure ??= error;
    isOver = true;
    if (failure) current?.destroy(failure);
    wake();
  };
  dicer.on('part', (part: Readable) => {
    headers -= 1;
    part.on('error', () => {}); // Dicer has told of it
    part.on('header', (header: PartHeader) => {
      headers += 1;
      waiting.push({ part, header });
      wake();
    });
  });
  dicer.on('error', () => finish(malformed()));
  source.on('error', finish);
  // Dicer finds out that the end is missing right after its own end.
  source.on('end', () => dicer.end(() => setImmediate(() => finish(headers < 0 ? malformed() : undefined))));
  try {
    source.pipe(dicer, { end: false });
    for (;;) {
      while (waiting.length === 0 && !isOver) await untilNews();
      if (failure) throw failure;
      const next = waiting.shift();
      if (!next) return;
      const { part, header } = next;
      const stream = follow(part, { onLeave: () => part.resume() });
      current = stream;
      yield { ...readHeader(header), stream };
      part.on('end', () => wake());
      stream.resume();
      while (!part.readableEnded && !failure) await untilNews();
    }
  } finally {
    current?.destroy();
    source.unpipe(dicer);
    source.destroy();
  }
}
