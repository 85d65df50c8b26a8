import {
  type CryptoKey,
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
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

const keysUnavailable = (cause: unknown) =>
  unavailable('the keys that tokens are verified with are unavailable; try again', cause);

/** RFC 7518, section 3.3: shorter keys must not be used. jose throws when a token names one. */
const MIN_RSA_BITS = 2048;

const isTooShort = ({ algorithm }: CryptoKey): boolean =>
  'modulusLength' in algorithm && Number(algorithm.modulusLength) < MIN_RSA_BITS;

/**
 * Creates the set of keys at a JWKS URL, or wherever `fetch` finds them from there. Keys are fetched at once, again when
 * they are old, and again for a token that names an unknown key, unless they were fetched a moment ago. While the key
 * server is down, the keys that were fetched last are used, and a token that they cannot verify is answered 503.
 *
 * jose fetches the keys, once for all who wait, and picks one; this module decides when to fetch, because jose drops old
 * keys while their server is down, and does not pause after a failure.
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
  let fetchedAt: number | undefined;
  let failure: { readonly cause: unknown; readonly until: number } | undefined;

  const note = (outcome: typeof failure): void => {
    if (outcome && !failure)
      log.warn({ err: outcome.cause }, 'the key server fails; JWTs are verified with the keys at hand');
    if (failure && !outcome) log.info({}, 'the key server answers again');
    failure = outcome;
  };
  const fetchIfOlder = async (age: number): Promise<void> => {
    const now = performance.now();
    if (now - (fetchedAt ?? Number.NEGATIVE_INFINITY) < age || (failure && now < failure.until)) return;
    try {
      await keys.reload();
      fetchedAt = performance.now();
      note(undefined);
    } catch (cause) {
      note({ cause, until: performance.now() + pause });
    }
  };
  const pick = async (...lookup: Parameters<JWTVerifyGetKey>): Promise<CryptoKey> => {
    const key = await keys(...lookup).catch((error: unknown) => {
      throw isTokenError(error) ? error : keysUnavailable(error);
    });
    if (isTooShort(key)) throw keysUnavailable(new Error(`an RSA key has fewer than ${MIN_RSA_BITS} bits`));
    return key;
  };

  void fetchIfOlder(0);
  return async (header, token) => {
    const fetched = fetchIfOlder(maxAge);
    if (fetchedAt === undefined || !failure) await fetched; // who is known to be down is not waited for
    if (fetchedAt === undefined) throw keysUnavailable(failure?.cause);
    return pick(header, token).catch(async (error: unknown) => {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await fetchIfOlder(cooldown);
      if (failure) throw keysUnavailable(failure.cause);
      return pick(header, token);
    });
  };
};
