import type { BigIntStats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { isTree } from '@trellis/openapi/internal/json';

/** A source of bytes that can be read from anywhere: a file, or an object of a store of objects. */
export interface RangedSource {
  /** How many bytes there are. */
  readonly size: number;
  /** Reads from `start` up to, but without, `end`. */
  readonly slice: (start: number, end: number) => AsyncIterable<Uint8Array>;
  /** Changes whenever a byte changes. It becomes the `ETag` of the reply, unless the handler gives another. */
  readonly version?: string;
  /** For the header `Last-Modified`. */
  readonly lastModified?: Date;
}

/** A body of which a client may request a range. */
export interface RangedBody extends RangedSource, AsyncIterable<Uint8Array> {}

/** Whether the size of a body is known, and any part of it can be had. */
export const isRanged = (body: unknown): body is RangedBody =>
  isTree(body) && 'size' in body && typeof body.size === 'number' && 'slice' in body;

/**
 * Creates a body of which a client may request a range, if the contract declares ranges.
 *
 * @example
 * return { status: 200, body: rangedBody({ size, slice: (start, end) => bucket.read(key, start, end) }) };
 */
export const rangedBody = (source: RangedSource): RangedBody => ({
  ...source,
  [Symbol.asyncIterator]: () => source.slice(0, source.size)[Symbol.asyncIterator](),
});

const versionOf = ({ ino, size, mtimeNs }: BigIntStats): string =>
  [ino, size, mtimeNs].map((each) => each.toString(36)).join('-');

/**
 * Creates a body from a file. The file is opened when the body is read. Reading fails if the file has changed in
 * between: a replaced file would give bytes of another version.
 *
 * @example
 * return { status: 200, body: await fileBody('/srv/films/intro.mp4') };
 */
export const fileBody = async (path: string | URL): Promise<RangedBody> => {
  const found = await stat(path, { bigint: true });
  const version = versionOf(found);
  async function* slice(start: number, end: number): AsyncGenerator<Uint8Array> {
    const file = await open(path);
    try {
      if (versionOf(await file.stat({ bigint: true })) !== version)
        throw new Error(`${path} has changed since its size was read`);
      if (start < end) yield* file.createReadStream({ start, end: end - 1, autoClose: false });
    } finally {
      await file.close();
    }
  }
  return rangedBody({ size: Number(found.size), slice, version, lastModified: found.mtime });
};
