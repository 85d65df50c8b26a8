import { isTree, ownMember } from '@trellis/openapi/internal/json';
import {
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
  /** How often the keys are fetched: a withdrawn key is accepted for at most this long. */
  readonly interval: number;
  /** How long after a fetch no unknown key causes another: tokens must not flood the key server with requests. */
  readonly cooldown: number;
  /** How long to wait after the key server has failed. */
  readonly pause: number;
}

const TIMES: KeySetTimes = { timeout: 3000, interval: 300_000, cooldown: 10_000, pause: 1000 };

/** The answer to a token whose key cannot be had now. */
export const keysUnavailable = (cause: unknown) =>
  unavailable('the keys that tokens are verified with are unavailable; try again', cause);

/** Errors of the token; any other error is the key server's. */
const isTokenError = (error: unknown): boolean =>
  error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys;

/** Fails at once for a while after a failure, an answer without keys included. jose pauses after a success only. */
const pauseAfterFailure = (fetch: FetchImplementation, pause: number): FetchImplementation => {
  let failure: { readonly cause: unknown; readonly until: number } | undefined;
  return async (url, options) => {
    if (failure && performance.now() < failure.until) throw failure.cause;
    try {
      const response = await fetch(url, options);
      const keys = ownMember(await response.clone().json(), 'keys');
      if (Array.isArray(keys) && keys.every(isTree)) return response;
      throw new Error('the key server answers without keys');
    } catch (cause) {
      failure = { cause, until: performance.now() + pause };
      throw cause;
    }
  };
};

/**
 * Creates the set of keys at a JWKS URL, or wherever `fetch` finds them from there. Keys are fetched at once, again at
 * every interval, and again for a token that names an unknown key, unless they were fetched a moment ago. While the key
 * server is down, the keys that were fetched last are used, and a token that they cannot verify is answered 503.
 */
export const createKeySet = (
  url: URL,
  log: Log,
  times: Partial<KeySetTimes> = {},
  fetch: FetchImplementation = fetchLimited,
) => {
  const { timeout, interval, cooldown, pause } = { ...TIMES, ...times };
  const keys = createRemoteJWKSet(url, {
    timeoutDuration: timeout,
    cacheMaxAge: Number.POSITIVE_INFINITY, // jose would drop old keys, also while their server is down
    cooldownDuration: cooldown,
    [customFetch]: pauseAfterFailure(fetch, pause),
  });
  const refresh = (): Promise<void> =>
    keys.reload().catch((err: unknown) => {
      log.warn({ err }, 'the keys of JWTs cannot be fetched; the last ones stay in use');
    });
  void refresh();
  const timer = setInterval(refresh, interval).unref();

  return {
    find: ((header, token) =>
      keys(header, token).catch((error: unknown) => {
        throw isTokenError(error) ? error : keysUnavailable(error);
      })) satisfies JWTVerifyGetKey,
    close: () => clearInterval(timer),
  };
};
