import type { IncomingMessage } from 'node:http';
import type { Share } from './budget.ts';
import { addChunk, joinChunks, replacePush } from './read.ts';

/**
 * Collects the body of a request that nobody reads yet, and gives back the function that hands it over: it calls `begin`,
 * in which a reader may begin to read, and then passes on what has arrived. Chunks are joined, because thousands of tiny
 * ones take a hundred times their bytes. No more is read ahead than Node itself would read.
 */
export const gatherBody = (
  request: IncomingMessage,
  note: (bytes: number) => void,
): ((begin?: () => void) => void) => {
  let chunks: Buffer[] = [];
  let size = 0;
  let hasEnded = false;
  // Once this returns false, Node stops until somebody reads the request.
  const push = replacePush(request, (chunk) => {
    if (chunk === null) hasEnded = true;
    else {
      note(chunk.length);
      size += chunk.length;
      chunks = addChunk(chunks, chunk);
    }
    return size < request.readableHighWaterMark;
  });
  return (begin) => {
    request.push = push;
    begin?.();
    if (chunks.length > 0) request.push(joinChunks(chunks));
    if (hasEnded) request.push(null);
  };
};

/** Waits for something while the body of a request stays unread. What arrives meanwhile counts towards its share. */
export const holdBody = async <T>(
  request: IncomingMessage,
  { take, release }: Share,
  wait: Promise<T>,
): Promise<T> => {
  let handOver = (): void => {};
  const noRoom = new Promise<never>((_resolve, reject) => {
    handOver = gatherBody(request, (bytes) => {
      try {
        take(bytes);
      } catch (error) {
        reject(error);
      }
    });
  });
  try {
    return await Promise.race([wait, noRoom]);
  } finally {
    release(); // the reader counts the same bytes again
    handOver();
  }
};
