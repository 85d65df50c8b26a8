/** How events are delivered; times in milliseconds. */
export interface DispatchLimits {
  /** Maximum number of deliveries at once, each of another key. Events that have failed before have half of it. */
  readonly concurrency: number;
  /** Maximum number of deliveries at once to one receiver; at most half of `concurrency`. */
  readonly perReceiver: number;
  /** How long an attempt may take. */
  readonly timeout: number;
  /** Maximum number of attempts; then the event is given up. */
  readonly maxAttempts: number;
  /** The pause after the first failure. It doubles with each further one. */
  readonly firstPause: number;
  readonly longestPause: number;
  /** How often other processes' events are looked for. */
  readonly pollEvery: number;
}

export const DEFAULT_LIMITS: DispatchLimits = {
  concurrency: 64,
  perReceiver: 8,
  timeout: 30_000,
  maxAttempts: 20,
  firstPause: 1000,
  longestPause: 3_600_000,
  pollEvery: 1000,
};
