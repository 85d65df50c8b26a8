import { type CryptoKey, createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose';
import { Problem } from '../contract/problems/problem.ts';
import { createFirstArrivals } from './first-arrivals.ts';
import { fetchLimited } from './limited-fetch.ts';
import type { Log } from './log.ts';

/** How a key set is kept up to date, in milliseconds. */
export interface KeySetTimes {
  /** How long a key server may take to answer. */
  readonly timeout: number;
  /** How old the keys may be before they are fetched anew: as long as a key that was withdrawn may still serve. */
  readonly maxAge: number;
  /** How long an unknown key is not asked for after the keys were fetched: tokens are no way to flood the key server. */
  readonly cooldown: number;
  /** How long a key server that did not answer is left alone. */
  readonly pause: number;
}

const TIMES: KeySetTimes = { timeout: 3000, maxAge: 300_000, cooldown: 10_000, pause: 1000 };

/** Those are the token's fault; whatever else goes wrong with a key is the key server's. */
const isOfToken = (error: unknown): boolean =>
  error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys;

const unavailable = (cause: unknown, retryAfter = 1): Problem =>
  new Problem('keysUnavailable', 'the keys that tokens are verified with are unavailable; try again', {
    headers: { 'Retry-After': `${retryAfter}` },
    cause,
  });

type KeyQuestion = Parameters<JWTVerifyGetKey>;

/** RFC 7518, section 3.3: what is shorter must not be used, and jose throws at it whoever's token names it. */
const LEAST_RSA_BITS = 2048;

const isTooShort = ({ algorithm }: CryptoKey): boolean =>
  'modulusLength' in algorithm && Number(algorithm.modulusLength) < LEAST_RSA_BITS;

/**
 * The keys at a JWKS URL, fetched on the spot, again when they are old, and again for a token that names a key that
 * is not among them. Keys that were fetched once serve for as long as the key server is away. Where they do not
 * suffice to judge a token, and the key server does not answer, that is a 503. So it is where the key server must not be
 * asked again so soon, since the key may be new: a token has an unknown key only if the key server was asked after the
 * token came.
 *
 * jose fetches and picks; when to fetch is decided here, because jose drops old keys while their server is away, and
 * does not pause after a failure.
 */
export const createKeySet = (url: URL, log: Log, times: Partial<KeySetTimes> = {}): JWTVerifyGetKey => {
  const { timeout, maxAge, cooldown, pause } = { ...TIMES, ...times };
  const keys = createRemoteJWKSet(url, {
    timeoutDuration: timeout,
    cacheMaxAge: Number.POSITIVE_INFINITY,
    cooldownDuration: Number.POSITIVE_INFINITY,
    [customFetch]: fetchLimited,
  });
  const firstArrivalOf = createFirstArrivals();
  let fetchedAt: number | undefined;
  /** When the key server was asked for the keys at hand. */
  let askedAt = Number.NEGATIVE_INFINITY;
  let restUntil = 0;
  let failure: { readonly cause: unknown } | undefined;
  let fetching: Promise<void> | undefined;

  const settle = (rest: number, outcome: typeof failure): void => {
    if (outcome && !failure)
      log.warn({ err: outcome.cause }, 'the key server fails; JWTs are verified with the keys at hand');
    if (failure && !outcome) log.info({}, 'the key server answers again');
    failure = outcome;
    restUntil = performance.now() + rest;
    fetching = undefined;
  };

  const fetchKeys = (): Promise<void> => {
    const asksAt = performance.now();
    return keys.reload().then(
      () => {
        askedAt = asksAt;
        fetchedAt = performance.now();
        settle(cooldown, undefined);
      },
      (cause: unknown) => settle(pause, { cause }),
    );
  };

  const fetchUnlessResting = (): Promise<void> | undefined => {
    if (!fetching && performance.now() >= restUntil) fetching = fetchKeys();
    return fetching;
  };

  /** Nobody waits for a key server that is known to be away, unless there are no keys at all. */
  const ensureFresh = async (): Promise<void> => {
    if (fetchedAt !== undefined && performance.now() - fetchedAt < maxAge) return;
    const fetched = fetchUnlessResting();
    if (fetchedAt === undefined || !failure) await fetched;
    if (fetchedAt === undefined) throw unavailable(failure?.cause);
  };

  const pick = async (...[header, token]: KeyQuestion): Promise<CryptoKey> => {
    const key = await keys(header, token).catch((error: unknown) => {
      throw isOfToken(error) ? error : unavailable(error);
    });
    if (isTooShort(key)) throw unavailable(new Error(`an RSA key has fewer than ${LEAST_RSA_BITS} bits`));
    return key;
  };

  /** Asks the key server for a key that is not among those at hand, unless it was asked since the token came. */
  const seek = async (cameAt: number, ...[header, token]: KeyQuestion): Promise<CryptoKey> => {
    const cameFirstAt = firstArrivalOf(token, cameAt);
    if (cameAt > askedAt) await fetchUnlessResting();
    if (failure) throw unavailable(failure.cause);
    return pick(header, token).catch((error: unknown) => {
      if (!(error instanceof errors.JWKSNoMatchingKey) || cameFirstAt <= askedAt) throw error;
      throw unavailable(error, Math.max(1, Math.ceil((restUntil - performance.now()) / 1000)));
    });
  };

  fetchUnlessResting();
  return async (header, token) => {
    const cameAt = performance.now();
    await ensureFresh();
    return pick(header, token).catch((error: unknown) => {
      if (error instanceof errors.JWKSNoMatchingKey) return seek(cameAt, header, token);
      throw error;
    });
  };
};
