import { hash } from 'node:crypto';
import type { FlattenedJWSInput } from 'jose';

/** How many tokens with unknown keys are remembered. */
const MAX_TOKENS = 1000;

/**
 * Remembers when each token with an unknown key was first seen. It goes by tokens, not by the keys that they name:
 * anybody can name a key before the token of somebody else does.
 */
export const createFirstSeen = () => {
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
