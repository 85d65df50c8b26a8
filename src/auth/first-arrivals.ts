import { hash } from 'node:crypto';
import type { FlattenedJWSInput } from 'jose';

/** How many tokens with unknown keys are remembered. */
const MOST_WAITING = 1000;

/**
 * Remembers when tokens with unknown keys came first. Tokens count, not the keys that they name: anybody can name a key
 * before somebody else's token does.
 */
export const createFirstArrivals = () => {
  const arrivals = new Map<string, number>();
  return ({ protected: header, payload, signature }: FlattenedJWSInput, now: number): number => {
    const token = hash('sha256', `${header}.${payload}.${signature}`, 'base64');
    const first = arrivals.get(token);
    if (first !== undefined) return first;
    arrivals.set(token, now);
    const [oldest] = arrivals.keys();
    if (arrivals.size > MOST_WAITING && oldest !== undefined) arrivals.delete(oldest);
    return now;
  };
};
