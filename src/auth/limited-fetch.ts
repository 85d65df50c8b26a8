import type { FetchImplementation } from 'jose';

/** Some thousand keys. More of an answer is not read. */
const MAX_ANSWER_BYTES = 1_048_576;

/** Fetches the keys, and gives up on an answer that is too large, whatever it says of its size. */
export const fetchLimited: FetchImplementation = async (url, options) => {
  const response = await fetch(url, options);
  if (response.status !== 200 || !response.body) {
    await response.body?.cancel();
    throw new Error(`the key server answers ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES)
      throw new Error(`the key server answers with more than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks));
};
