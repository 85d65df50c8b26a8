import type { Readable } from 'node:stream';

/** The bytes of a request body. They are read once, by `takeChunks` or from the stream. */
export interface BodySource {
  readonly stream: Readable;
  /**
   * Calls back for each chunk, beginning with the chunks that have arrived, and at the end. Returns a function that stops
   * this and leaves the rest in the stream.
   */
  takeChunks(onChunk: (chunk: Buffer) => void, onEnd: () => void): () => void;
  /** Number of bytes that have arrived and are not read. */
  arrived(): number;
  /** Calls back before a chunk is added to these bytes, with its size. */
  onArrival(listener: (bytes: number) => void): void;
}

/** Makes a body of any stream of bytes. A source of our own server is faster. */
export const toBodySource = (stream: Readable): BodySource => ({
  stream,
  takeChunks(onChunk, onEnd) {
    stream.on('data', onChunk).on('end', onEnd);
    return () => void stream.off('data', onChunk).off('end', onEnd).pause();
  },
  arrived: () => stream.readableLength,
  onArrival() {}, // the stream bounds what arrives before it is read
});

/**
 * Number of chunks at which a list is joined: each chunk costs memory beside its bytes, even if it has a single byte.
 */
const MOST_CHUNKS = 64;

/** Joins chunks. */
export const joinChunks = (chunks: readonly Buffer[]): Buffer =>
  chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);

/** Adds a chunk to a list, and returns the list to continue with: many chunks are joined into one. */
export const addChunk = (chunks: Buffer[], chunk: Buffer): Buffer[] => {
  chunks.push(chunk);
  return chunks.length < MOST_CHUNKS ? chunks : [joinChunks(chunks)];
};
