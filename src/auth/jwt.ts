import { decodeJwt, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { BearerAuthenticator, Principal } from '../contract/security.ts';
import { createRemembered } from './remembered.ts';

/** Whose JWTs are valid here, for whom, and where the keys are that prove it. */
export interface JwtSettings {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: URL;
}

/** Public keys verify; a shared secret (HS256) or no signature at all would let whoever reads the keys sign. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** Seconds that the clock of whoever made the token and ours may differ. */
const CLOCK_TOLERANCE = 30;

/** RFC 7515, section 7.1. An empty signature is none. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * The subject, or the client where a token has none (RFC 9068, section 2.2). The names of static tokens have no colon,
 * so nobody takes one of theirs by being called the same elsewhere.
 */
const nameOf = ({ sub, client_id: client }: JWTPayload): string | undefined => {
  const name: unknown = sub ?? client;
  return typeof name === 'string' && name !== '' ? `jwt:${name}` : undefined;
};

/** RFC 9068, section 2.1, or what issuers write who do not tell their tokens apart; RFC 7515, section 4.1.9: the prefix. */
const TYPE = /^(?:application\/)?(at\+)?jwt$/i;

/** What only ID tokens carry (OpenID Connect Core 1.0, sections 2 and 3.3.2.11; FAPI 1.0 part 2, section 5.1). */
const OF_ID_TOKENS = ['nonce', 'at_hash', 'c_hash', 's_hash'];

/**
 * Whether a token was made to be sent to an API. The same issuer signs ID tokens, which tell a client who has logged in,
 * and others, all with the same keys. `at+jwt` in the header says it, and so does `typ: Bearer` in the claims, as Keycloak
 * writes it. A token that says neither is an access token unless its type or a claim says what else it is.
 */
const isAccessToken = ({ typ = 'JWT' }: { typ?: unknown }, claims: JWTPayload): boolean => {
  const type = typeof typ === 'string' ? TYPE.exec(typ) : null;
  if (!type) return false;
  const isExplicit = type[1] !== undefined;
  if (isExplicit) return true;
  if (claims.typ !== undefined) return typeof claims.typ === 'string' && /^bearer$/i.test(claims.typ);
  return OF_ID_TOKENS.every((claim) => claims[claim] === undefined);
};

/** Knows the bearer of a JWT by its signature and its claims. */
export const createJwtAuthenticator = (
  { issuer, audience }: Omit<JwtSettings, 'jwksUrl'>,
  keys: JWTVerifyGetKey,
): BearerAuthenticator => {
  const { recall, remember } = createRemembered();
  const rules = {
    issuer,
    audience,
    algorithms: ALGORITHMS,
    clockTolerance: CLOCK_TOLERANCE,
    requiredClaims: ['exp'],
  };

  const verify = async (token: string): Promise<Principal | undefined> => {
    if (decodeJwt(token).iss !== issuer) return undefined; // its key would be sought where it cannot be
    const { protectedHeader, payload } = await jwtVerify(token, keys, rules);
    const { exp = 0 } = payload;
    const name = nameOf(payload);
    if (name === undefined || !isAccessToken(protectedHeader, payload)) return undefined;
    remember(token, { name }, (exp + CLOCK_TOLERANCE) * 1000);
    return { name };
  };

  return {
    type: 'bearer',
    async authenticate(token) {
      if (!COMPACT.test(token)) return undefined;
      try {
        return recall(token) ?? (await verify(token));
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
  };
};
