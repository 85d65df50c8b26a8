import type { TokenSet } from '../static-tokens.ts';
import type { FoundTokens } from './lines.ts';
import type { Sight } from './sight.ts';

/** How long a token is missing before it is revoked: a writer may take this long from emptying a file to filling it. */
export const PATIENCE = 400;

/** A look at a token file. */
export interface Look {
  readonly sight: Sight;
  readonly found: FoundTokens;
  /** The milliseconds that the file has been looked at for. */
  readonly time: number;
  /** Whether the file has been the same for as long as patience lasts. */
  readonly isStill: boolean;
}

/**
 * Decides which tokens of a file are valid, by what one look after the other finds in it. A token is let in once two
 * looks in a row have found its whole line, and revoked once no look has found it for as long as patience lasts: what is
 * half written is nobody's token, and a file that is empty for the moment of an edit revokes nobody. Each token is
 * decided about by itself, however often the rest of the file changes.
 */
export const createPresence = (tokens: TokenSet, first: FoundTokens) => {
  let previous = first;
  /** When the looks began that no longer found a token, the earliest first. */
  const missingSince = new Map<string, number>();

  const letIn = ({ found, isStill }: Look): void => {
    for (const [digest, name] of found.names) {
      missingSince.delete(digest);
      if (tokens.nameOf(digest) === name) continue;
      const isWhole = isStill || (digest !== found.unfinished && digest !== previous.unfinished);
      if (isWhole && previous.names.get(digest) === name) tokens.add(digest, name);
    }
  };

  const noteMissing = ({ found, time }: Look): void => {
    for (const digest of tokens.digests())
      if (!found.names.has(digest) && !missingSince.has(digest)) missingSince.set(digest, time);
  };

  const revoke = ({ time }: Look): void => {
    for (const [digest, since] of missingSince) {
      if (time - since < PATIENCE) return;
      missingSince.delete(digest);
      tokens.remove(digest);
    }
  };

  for (const [digest, name] of first.names) tokens.add(digest, name);
  return {
    judge(look: Look): void {
      letIn(look);
      noteMissing(look);
      revoke(look);
      previous = look.found;
    },
    /** How many tokens are valid that the last look has not found. */
    missing: (): number => missingSince.size,
  };
};
