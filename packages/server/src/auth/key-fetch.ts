import { ownMember } from '@trellis/openapi/internal/json';
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

/** Where an issuer publishes its metadata (OpenID Connect Discovery 1.0, section 4). */
export const metadataUrlOf = (issuer: string): URL =>
  new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);

/** The URL of the keys. The metadata must be of this issuer (section 4.3), and must not lead from https to http. */
const jwksUrlIn = (metadata: unknown, issuer: string): string => {
  if (ownMember(metadata, 'issuer') !== issuer)
    throw new Error(
      `the metadata that JWT_ISSUER leads to is not of ${issuer}; set JWT_ISSUER as it says there`,
    );
  const url = ownMember(metadata, 'jwks_uri');
  if (typeof url === 'string' && isFetchable(url) && (/^https:/i.test(url) || !/^https:/i.test(issuer)))
    return url;
  throw new Error('the metadata of JWT_ISSUER names no jwks_uri that can be used; set JWT_JWKS_URL');
};

/**
 * Fetches the keys of an issuer by its metadata, which it fetches first each time, because the keys may move. Both have
 * the size limit of `fetchLimited` and share the time limit of the request.
 */
export const createDiscovery =
  (issuer: string): FetchImplementation =>
  async (metadataUrl, options) => {
    const metadata: unknown = await (await fetchLimited(metadataUrl, options)).json();
    return fetchLimited(jwksUrlIn(metadata, issuer), options);
  };
