import { readFile } from 'node:fs/promises';
import type { BearerAuthenticator } from '../contract/security.ts';
import type { Log } from './log.ts';
import { createStaticTokens } from './static-tokens.ts';
import { type Fault, parseTokenEntries, type TokenEntry } from './token-entries.ts';

/** An authenticator that follows something outside, until it is closed. */
export interface LiveAuthenticator extends BearerAuthenticator {
  readonly close: () => void;
}

/** How often the file is looked at, in milliseconds. A change is taken at the second look that finds it the same. */
const LOOK_EVERY = 200;

/** Says nothing about the file: there was no descriptor or memory left to look at it. */
const COULD_NOT_LOOK = new Set(['EMFILE', 'ENFILE', 'ENOMEM']);

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'unknown';

/** One entry a line; blank lines and lines that begin with # do not count. */
const parseFile = (bytes: Uint8Array): { entries: TokenEntry[]; faults: Fault[] } =>
  parseTokenEntries(
    new TextDecoder()
      .decode(bytes)
      .split('\n')
      .map((line, index) => ({ text: line.trim(), position: index + 1 }))
      .filter(({ text }) => text !== '' && !text.startsWith('#')),
  );

/** What a look finds: the bytes of the file, or the code of the error that it cannot be read for. */
type Sight = Buffer | string;

const isSame = (one: Sight, other: Sight): boolean =>
  typeof one === 'string' || typeof other === 'string' ? one === other : one.equals(other);

/**
 * Knows the tokens of a file, as it is now: a token that is taken out of it is revoked within half a second. The
 * content itself is compared, since times and watchers miss changes on some file systems, behind links and across
 * renames. A change is taken once it holds still: nobody's token is what an editor has half written. Lines with a slip
 * are left out and told in the log, the others hold; a file that is gone or may not be read knows nobody.
 */
export const openTokenFile = async (file: string, log: Log): Promise<LiveAuthenticator> => {
  let taken: Sight = await readFile(file).catch((error: unknown) => {
    throw new Error(`ACCESS_TOKENS_FILE: ${file} cannot be read (${codeOf(error)})`, { cause: error });
  });
  const { entries, faults } = parseFile(taken);
  const [fault] = faults;
  if (fault) throw new Error(`ACCESS_TOKENS_FILE: line ${fault.position} of ${file} ${fault.reason}`);
  let tokens = createStaticTokens(entries);

  const take = (sight: Sight): void => {
    taken = sight;
    const found = typeof sight === 'string' ? { entries: [], faults: [] } : parseFile(sight);
    tokens = createStaticTokens(found.entries);
    if (typeof sight === 'string')
      log.warn({ file, code: sight }, 'the token file cannot be read; all its tokens are revoked');
    else log.info({ file, tokens: found.entries.length }, 'the token file has changed');
    for (const { position, reason } of found.faults)
      log.warn({ file, line: position }, `a line of the token file is left out: it ${reason}`);
  };

  let seen: Sight = taken;
  const look = async (): Promise<void> => {
    const sight: Sight = await readFile(file).catch(codeOf);
    if (typeof sight === 'string' && COULD_NOT_LOOK.has(sight)) return;
    if (isSame(sight, seen) && !isSame(sight, taken)) take(sight);
    seen = sight;
  };

  let closed = false;
  let timer: NodeJS.Timeout;
  const lookAgain = (): void => {
    timer = setTimeout(async () => {
      await look();
      if (!closed) lookAgain();
    }, LOOK_EVERY).unref();
  };
  lookAgain();

  return {
    type: 'bearer',
    authenticate: (token) => tokens.authenticate(token),
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
};
