import type { FetchImplementation } from 'jose';

/** Whether a URL can be fetched, and no password would be sent with it. */
export const isFetchable = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && !url.username && !url.password;
};

/** Enough for some thousand keys. */
const MAX_ANSWER_BYTES = 1_048_576;

/** Fetches keys, and fails if the answer is too large, whatever its Content-Length says. */
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
