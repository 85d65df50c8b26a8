import { decodeProtectedHeader, errors } from 'jose';

/** How much of a claim a reason repeats: whoever sends a token can write anything into it. */
const LONGEST = 100;

const quote = (claim: unknown): string => (JSON.stringify(claim) ?? 'none').slice(0, LONGEST);

/** Why a JWT is refused, where jose has no error for it. */
export const REASONS = {
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
export const reasonOf = (error: errors.JOSEError, token: string): string => {
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
