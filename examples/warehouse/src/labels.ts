import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** The folder with the labels. */
export const { LABELS = 'data/labels' } = process.env;

/** The file of a label. */
export const fileOf = (id: bigint): string => join(LABELS, `${id}`);

/** Keeps a label: all of it, on disk, or the one before. */
export const keepLabel = async (id: bigint, stream: Readable, signal: AbortSignal): Promise<void> => {
  const part = join(LABELS, `${randomUUID()}.part`);
  try {
    await pipeline(stream, createWriteStream(part, { flush: true }), { signal });
    await rename(part, fileOf(id));
  } finally {
    await rm(part, { force: true });
  }
};
