import { hash } from 'node:crypto';
import { type Principal, Problem } from '@trellis/contract';
import type { BearerAuthenticator } from '@trellis/contract/internal';
import { decodeJwt, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { keysUnavailable } from './key-set.ts';

/** The issuer and audience of valid JWTs, and the URL of the issuer's keys (by default, from the issuer's metadata). */
export interface JwtSettings {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: URL | undefined;
}

/** Public-key signatures only: with a shared secret (HS256), any service that verifies tokens could also sign them. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** By how many seconds the issuer's clock and ours may differ. */
const CLOCK_TOLERANCE = 30;

/**
 * The subject, or the client if there is no subject (RFC 9068, section 2.2). The names of static tokens have no colon,
 * so the prefix keeps a subject from using the name of a static token.
 */
const nameOf = ({ sub, client_id: client }: JWTPayload): string | undefined => {
  const name: unknown = sub ?? client;
  return typeof name === 'string' && name !== '' ? `jwt:${name}` : undefined;
};

/**
 * `at+jwt` (RFC 9068, section 2.1), or plain `JWT` from issuers that do not distinguish; the prefix is from RFC 7515,
 * 4.1.9.
 */
const TYPE = /^(?:application\/)?(at\+)?jwt$/i;

/** Claims of ID tokens only (OpenID Connect Core 1.0, sections 2 and 3.3.2.11; FAPI 1.0 part 2, section 5.1). */
const ID_TOKEN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash'];

/**
 * Whether a token is an access token. The same issuer signs ID tokens and others with the same keys. `at+jwt` in the
 * header marks an access token, and so does `typ: Bearer` in the claims, as Keycloak writes it. A token with neither
 * counts as an access token unless its type or a claim marks it as something else.
 */
const isAccessToken = ({ typ = 'JWT' }: { typ?: unknown }, claims: JWTPayload): boolean => {
  const type = typeof typ === 'string' ? TYPE.exec(typ) : null;
  if (!type) return false;
  const isExplicit = type[1] !== undefined;
  if (isExplicit) return true;
  if (claims.typ !== undefined) return typeof claims.typ === 'string' && /^bearer$/i.test(claims.typ);
  return ID_TOKEN_CLAIMS.every((claim) => claims[claim] === undefined);
};

const texts = (values: readonly unknown[]): string[] =>
  values.filter((value) => typeof value === 'string' && value !== '').map(String);

/** The names of roles may have spaces, so a text is not taken apart. */
const listIn = (claim: unknown): string[] => (Array.isArray(claim) ? texts(claim) : []);

/** RFC 8693, section 4.2: a text has scopes between spaces. Some issuers write a list. */
const scopesIn = (claim: unknown): string[] =>
  typeof claim === 'string' ? texts(claim.split(' ')) : listIn(claim);

/**
 * The scopes and roles that an issuer has written into a token: `scope` (RFC 9068, section 2.2.3), or `scp` as Microsoft
 * and Okta write it, and `roles` and `permissions`. `*` is left out: only the owner of this service may grant every scope.
 */
const scopesOf = ({ scope, scp, roles, permissions }: JWTPayload): readonly string[] => {
  const all = [...scopesIn(scope), ...scopesIn(scp), ...listIn(roles), ...listIn(permissions)];
  return [...new Set(all)].filter((each) => each !== '*');
};

/**
 * Caches the owners of verified tokens for a minute at most, because verifying a signature costs more than the whole
 * rest of a request. The number of entries is limited, and the oldest goes first. Only hashes of tokens are kept.
 */
export const createTokenCache = ({ maxAge = 60_000, maxEntries = 1000 } = {}) => {
  const entries = new Map<string, { readonly principal: Principal; readonly until: number }>();
  const keyOf = (token: string) => hash('sha256', token, 'base64');
  return {
    get(token: string): Principal | undefined {
      const cached = entries.get(keyOf(token));
      return cached && Date.now() < cached.until ? cached.principal : undefined;
    },
    /** Caches a token until a time in milliseconds since the epoch, and never for longer than `maxAge`. */
    set(token: string, principal: Principal, until: number): void {
      const key = keyOf(token);
      entries.delete(key); // otherwise the key would keep its old place in the order
      entries.set(key, { principal, until: Math.min(until, Date.now() + maxAge) });
      const [oldest] = entries.keys();
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    },
  };
};

/** Creates an authenticator that verifies the signature and the claims of JWTs. */
export const createJwtAuthenticator = (
  { issuer, audience }: Omit<JwtSettings, 'jwksUrl'>,
  keys: JWTVerifyGetKey,
): BearerAuthenticator => {
  const cache = createTokenCache();
  const rules = {
    issuer,
    audience,
    algorithms: ALGORITHMS,
    clockTolerance: CLOCK_TOLERANCE,
    requiredClaims: ['exp'],
  };

  const reject = (reason: string): never => {
    throw new errors.JWTInvalid(reason);
  };

  const verify = async (token: string): Promise<Principal> => {
    const { iss } = decodeJwt(token);
    if (iss !== issuer) reject(`its issuer is not JWT_ISSUER: ${JSON.stringify(iss)}`); // its key is not at our key server
    const { protectedHeader, payload } = await jwtVerify(token, keys, rules);
    const { exp = 0 } = payload;
    const name = nameOf(payload) ?? reject('it names neither a subject nor a client');
    if (!isAccessToken(protectedHeader, payload)) reject('it is no access token, but an ID token or another');
    const principal = { name, scopes: scopesOf(payload) };
    cache.set(token, principal, (exp + CLOCK_TOLERANCE) * 1000);
    return principal;
  };

  return {
    type: 'bearer',
    async authenticate(token, explain) {
      const known = cache.get(token);
      if (known) return known;
      try {
        return await verify(token);
      } catch (error) {
        if (error instanceof Problem) throw error;
        if (!(error instanceof errors.JOSEError)) throw keysUnavailable(error); // such as an RSA key that is too short
        explain?.(`the token is no valid JWT: ${error.message}`);
        return undefined;
      }
    },
  };
};
