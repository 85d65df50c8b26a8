import { ownMember } from '@trellis/openapi/json';
import type { FetchImplementation } from 'jose';
import { fetchLimited, isFetchable } from './limited-fetch.ts';

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
