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
