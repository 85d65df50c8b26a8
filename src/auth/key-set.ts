import { type CryptoKey, createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import { Problem } from '../contract/problem.ts';
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

const unavailable = (cause: unknown): Problem =>
  new Problem('keysUnavailable', 'the keys that tokens are verified with are unavailable; try again', {
    headers: { 'Retry-After': '1' },
    cause,
  });

/** RFC 7518, section 3.3: what is shorter must not be used, and jose throws at it whoever's token names it. */
const LEAST_RSA_BITS = 2048;

const isTooShort = ({ algorithm }: CryptoKey): boolean =>
  'modulusLength' in algorithm && Number(algorithm.modulusLength) < LEAST_RSA_BITS;

/**
 * The keys at a JWKS URL, fetched on the spot, again when they are old, and again for a token that names a key that
 * is not among them. Keys that were fetched once serve for as long as the key server is away. Where they do not
 * suffice to judge a token, and the key server does not answer, that is a 503.
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
  });
  let fetchedAt: number | undefined;
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

  const fetchKeys = (): Promise<void> =>
    keys.reload().then(
      () => {
        fetchedAt = performance.now();
        settle(cooldown, undefined);
      },
      (cause: unknown) => settle(pause, { cause }),
    );

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

  const pick: JWTVerifyGetKey = async (header, token) => {
    const key = await keys(header, token).catch((error: unknown) => {
      throw isOfToken(error) ? error : unavailable(error);
    });
    if (isTooShort(key)) throw unavailable(new Error(`an RSA key has fewer than ${LEAST_RSA_BITS} bits`));
    return key;
  };

  fetchUnlessResting();
  return async (header, token) => {
    await ensureFresh();
    try {
      return await pick(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await fetchUnlessResting();
      if (failure) throw unavailable(failure.cause);
      return pick(header, token);
    }
  };
};
