import { hash } from 'node:crypto';
import {
  type CryptoKey,
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
  type FlattenedJWSInput,
  type JWTVerifyGetKey,
} from 'jose';
import { fetchLimited } from './key-fetch.ts';
import { type Log, unavailable } from './unavailable.ts';

/** How a key set is kept up to date, in milliseconds. */
export interface KeySetTimes {
  /** How long a key server may take to answer. */
  readonly timeout: number;
  /** After which time the keys are fetched again: a withdrawn key is accepted for at most this long. */
  readonly maxAge: number;
  /** How long after a fetch no unknown key causes another: tokens must not flood the key server with requests. */
  readonly cooldown: number;
  /** How long to wait after the key server has failed. */
  readonly pause: number;
}

const TIMES: KeySetTimes = { timeout: 3000, maxAge: 300_000, cooldown: 10_000, pause: 1000 };

/** Errors of the token; any other error is the key server's. */
const isTokenError = (error: unknown): boolean =>
  error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys;

const keysUnavailable = (cause: unknown, retryAfter?: number) =>
  unavailable('the keys that tokens are verified with are unavailable; try again', cause, retryAfter);

type KeyLookup = Parameters<JWTVerifyGetKey>;

/** RFC 7518, section 3.3: shorter keys must not be used. jose throws when a token names one. */
const MIN_RSA_BITS = 2048;

const isTooShort = ({ algorithm }: CryptoKey): boolean =>
  'modulusLength' in algorithm && Number(algorithm.modulusLength) < MIN_RSA_BITS;

/** How many tokens with unknown keys are remembered. */
const MAX_TOKENS = 1000;

/**
 * Remembers when each token with an unknown key was first seen. It goes by tokens, not by the keys that they name:
 * anybody can name a key before the token of somebody else does.
 */
const createFirstSeen = () => {
  const seenAt = new Map<string, number>();
  return ({ protected: header, payload, signature }: FlattenedJWSInput, now: number): number => {
    const token = hash('sha256', `${header}.${payload}.${signature}`, 'base64');
    const first = seenAt.get(token);
    if (first !== undefined) return first;
    seenAt.set(token, now);
    const [oldest] = seenAt.keys();
    if (seenAt.size > MAX_TOKENS && oldest !== undefined) seenAt.delete(oldest);
    return now;
  };
};

/**
 * Creates the set of keys at a JWKS URL, or wherever `fetch` finds them from there. Keys are fetched at once, again when
 * they are old, and again for a token that names an unknown key. While the key server is down, the keys that were fetched
 * last are used. A token that they cannot verify is answered 503 if the key server is down, or if it is too soon to ask
 * again, since the key may be new: a key counts as unknown only if the key server was asked after the token arrived.
 *
 * jose fetches the keys and picks one; this module decides when to fetch, because jose drops old keys while their
 * server is down, and does not pause after a failure.
 */
export const createKeySet = (
  url: URL,
  log: Log,
  times: Partial<KeySetTimes> = {},
  fetch: FetchImplementation = fetchLimited,
): JWTVerifyGetKey => {
  const { timeout, maxAge, cooldown, pause } = { ...TIMES, ...times };
  const keys = createRemoteJWKSet(url, {
    timeoutDuration: timeout,
    cacheMaxAge: Number.POSITIVE_INFINITY,
    cooldownDuration: Number.POSITIVE_INFINITY,
    [customFetch]: fetch,
  });
  const firstSeen = createFirstSeen();
  let fetchedAt: number | undefined;
  /** When the present keys were requested. */
  let requestedAt = Number.NEGATIVE_INFINITY;
  let pausedUntil = 0;
  let failure: { readonly cause: unknown } | undefined;
  let fetching: Promise<void> | undefined;

  const settle = (pauseFor: number, outcome: typeof failure): void => {
    if (outcome && !failure)
      log.warn({ err: outcome.cause }, 'the key server fails; JWTs are verified with the keys at hand');
    if (failure && !outcome) log.info({}, 'the key server answers again');
    failure = outcome;
    pausedUntil = performance.now() + pauseFor;
    fetching = undefined;
  };

  const fetchKeys = (): Promise<void> => {
    const startedAt = performance.now();
    return keys.reload().then(
      () => {
        requestedAt = startedAt;
        fetchedAt = performance.now();
        settle(cooldown, undefined);
      },
      (cause: unknown) => settle(pause, { cause }),
    );
  };

  const fetchUnlessPaused = (): Promise<void> | undefined => {
    if (!fetching && performance.now() >= pausedUntil) fetching = fetchKeys();
    return fetching;
  };

  /** Waits for a key server that is known to be down only if there are no keys at all. */
  const ensureFresh = async (): Promise<void> => {
    if (fetchedAt !== undefined && performance.now() - fetchedAt < maxAge) return;
    const fetched = fetchUnlessPaused();
    if (fetchedAt === undefined || !failure) await fetched;
    if (fetchedAt === undefined) throw keysUnavailable(failure?.cause);
  };

  const pick = async (...[header, token]: KeyLookup): Promise<CryptoKey> => {
    const key = await keys(header, token).catch((error: unknown) => {
      throw isTokenError(error) ? error : keysUnavailable(error);
    });
    if (isTooShort(key)) throw keysUnavailable(new Error(`an RSA key has fewer than ${MIN_RSA_BITS} bits`));
    return key;
  };

  /** Fetches the keys again for an unknown key, unless they were requested after the token arrived. */
  const findUnknown = async (arrivedAt: number, ...[header, token]: KeyLookup): Promise<CryptoKey> => {
    const firstSeenAt = firstSeen(token, arrivedAt);
    if (arrivedAt > requestedAt) await fetchUnlessPaused();
    if (failure) throw keysUnavailable(failure.cause);
    return pick(header, token).catch((error: unknown) => {
      if (!(error instanceof errors.JWKSNoMatchingKey) || firstSeenAt <= requestedAt) throw error;
      throw keysUnavailable(error, Math.max(1, Math.ceil((pausedUntil - performance.now()) / 1000)));
    });
  };

  fetchUnlessPaused();
  return async (header, token) => {
    const arrivedAt = performance.now();
    await ensureFresh();
    return pick(header, token).catch((error: unknown) => {
      if (error instanceof errors.JWKSNoMatchingKey) return findUnknown(arrivedAt, header, token);
      throw error;
    });
  };
};
