import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import type { BearerAuthenticator, Principal } from '../contract/security.ts';
import { createTokenCache } from './token-cache.ts';

/** The issuer and audience of valid JWTs, and where the issuer publishes its keys; if not given, its metadata says so. */
export interface JwtSettings {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: URL | undefined;
}

/** Public-key signatures only: with a shared secret (HS256) whoever can verify tokens could also sign them. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** By how many seconds the issuer's clock and ours may differ. */
const CLOCK_TOLERANCE = 30;

/** RFC 7515, section 7.1, with a signature that is not empty. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * The subject, or the client if there is no subject (RFC 9068, section 2.2). The names of static tokens have no colon,
 * so the prefix keeps a subject from posing as one of them.
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

/** How much of a claim a reason repeats: whoever sends a token can write anything into it. */
const LONGEST = 100;

const quote = (claim: unknown): string => (JSON.stringify(claim) ?? 'none').slice(0, LONGEST);

/** Why a JWT is refused, where jose has no error for it. */
const REASONS = {
  noJwt: 'the token is not known, and is no JWT',
  issuer: (issuer: unknown) => `the JWT is of another issuer than JWT_ISSUER: ${quote(issuer)}`,
  noSubject: 'the JWT names neither a subject nor a client',
  noAccessToken: 'the JWT is no access token, but an ID token or another',
} as const;

const reasonOfClaim = ({ claim, reason, payload }: errors.JWTClaimValidationFailed): string => {
  if (reason === 'missing') return `the JWT has no ${claim}`;
  if (claim === 'aud') return `the JWT is for another audience than JWT_AUDIENCE: ${quote(payload.aud)}`;
  if (claim === 'nbf' && reason === 'check_failed') return 'the JWT is not valid yet';
  return `the claim ${claim} of the JWT is not valid`;
};

const expiryOf = ({ payload: { exp } }: errors.JWTExpired): string =>
  exp === undefined ? 'the JWT has expired' : `the JWT expired ${Math.floor(Date.now() / 1000 - exp)} s ago`;

/** Says in words, for the log, why jose refuses a JWT. */
const reasonOf = (error: errors.JOSEError, token: string): string => {
  if (error instanceof errors.JWTExpired) return expiryOf(error);
  if (error instanceof errors.JWTClaimValidationFailed) return reasonOfClaim(error);
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'the signature of the JWT is not valid';
  if (error instanceof errors.JOSEAlgNotAllowed)
    return `the JWT is signed with an algorithm that is not accepted: ${quote(decodeProtectedHeader(token).alg)}`;
  if (error instanceof errors.JWKSNoMatchingKey)
    return `the issuer has no key for the JWT, which names ${quote(decodeProtectedHeader(token).kid)}`;
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'the JWT names no key, and several would fit';
  if (error instanceof errors.JOSENotSupported) return 'the JWT needs an extension that is not supported';
  return 'the JWT is malformed';
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

  /** Gives the principal of a JWT, or the reason why it is refused; some reasons are thrown as errors of jose. */
  const verify = async (token: string): Promise<Principal | string> => {
    const { iss } = decodeJwt(token);
    if (iss !== issuer) return REASONS.issuer(iss); // our key server does not have its key
    const { protectedHeader, payload } = await jwtVerify(token, keys, rules);
    const { exp = 0 } = payload;
    const name = nameOf(payload);
    if (name === undefined) return REASONS.noSubject;
    if (!isAccessToken(protectedHeader, payload)) return REASONS.noAccessToken;
    const principal = { name, scopes: scopesOf(payload) };
    cache.set(token, principal, (exp + CLOCK_TOLERANCE) * 1000);
    return principal;
  };

  return {
    type: 'bearer',
    async authenticate(token, explain) {
      if (!COMPACT.test(token)) {
        explain?.(REASONS.noJwt);
        return undefined;
      }
      const known = cache.get(token);
      if (known) return known;
      const verdict = await verify(token).catch((error: unknown) => {
        if (error instanceof errors.JOSEError) return reasonOf(error, token);
        throw error;
      });
      if (typeof verdict !== 'string') return verdict;
      explain?.(verdict);
      return undefined;
    },
  };
};
