import type { Principal } from '../../contract/security.ts';
import type { TokenSet } from '../tokens/token-set.ts';
import type { ReadResult } from './file-reader.ts';
import type { FoundTokens } from './lines.ts';

/** After how many milliseconds a missing token is revoked: an editor may take this long to empty and refill a file. */
export const GRACE = 400;

/** The state of a token file at one poll. */
export interface Poll {
  readonly result: ReadResult;
  readonly found: FoundTokens;
  /** For how many milliseconds the file has been polled. */
  readonly time: number;
  /** Whether the file has not changed for the grace time. */
  readonly isStable: boolean;
}

const isSame = (one: Principal | undefined, other: Principal): boolean =>
  one?.name === other.name && one.scopes.join('+') === other.scopes.join('+');

/**
 * Decides which tokens of a file are valid. A token becomes valid once two polls in a row have found its whole line,
 * and is revoked once it has been missing for the grace time: a half-written line is no token, and a file that is empty
 * in the middle of an edit revokes nothing. Each token is judged by itself, however often the rest of the file changes.
 */
export const createValidTokens = (tokens: TokenSet, first: FoundTokens) => {
  let previous = first;
  /** Since when each missing token has been missing, the earliest first. */
  const missingSince = new Map<string, number>();

  const addFound = ({ found, isStable }: Poll): void => {
    for (const [digest, owner] of found.owners) {
      missingSince.delete(digest);
      if (isSame(tokens.ownerOf(digest), owner)) continue;
      const isWhole = isStable || (digest !== found.unfinished && digest !== previous.unfinished);
      if (isWhole && isSame(previous.owners.get(digest), owner)) tokens.add(digest, owner);
    }
  };

  const noteMissing = ({ found, time }: Poll): void => {
    for (const digest of tokens.digests())
      if (!found.owners.has(digest) && !missingSince.has(digest)) missingSince.set(digest, time);
  };

  const revoke = ({ time }: Poll): void => {
    for (const [digest, since] of missingSince) {
      if (time - since < GRACE) return;
      missingSince.delete(digest);
      tokens.remove(digest);
    }
  };

  for (const [digest, owner] of first.owners) tokens.add(digest, owner);
  return {
    update(poll: Poll): void {
      addFound(poll);
      noteMissing(poll);
      revoke(poll);
      previous = poll.found;
    },
    /** How many valid tokens the last poll has not found. */
    countMissing: (): number => missingSince.size,
  };
};
