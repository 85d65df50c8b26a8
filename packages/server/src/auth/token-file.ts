import { readFile, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '@trellis/openapi/internal/json';
import { type Fault, parseLines } from './entries.ts';
import { createTokenLookup } from './static-tokens.ts';
import { type Log, unavailable } from './unavailable.ts';

/** How a token file is opened. */
export interface TokenFileOptions {
  /** Whether the file may be missing or have invalid lines. Otherwise opening it throws. */
  readonly isTolerant: boolean;
  /** How often the file is read, in milliseconds; every second if not given. */
  readonly interval?: number;
}

const MAX_MEBIBYTES = 4;

/** How many invalid lines are logged one by one. */
const MAX_FAULTS = 20;

/** The text of a file, empty if it could not be read, and why it could not. */
interface FileRead {
  readonly text: string;
  readonly problem?: string;
}

const read = async (file: string): Promise<FileRead> => {
  try {
    const { size } = await stat(file);
    if (size > MAX_MEBIBYTES * 1_048_576) return { text: '', problem: `larger than ${MAX_MEBIBYTES} MiB` };
    return { text: await readFile(file, 'utf8') };
  } catch (error) {
    return { text: '', problem: codeOf(error) };
  }
};

const isSame = (one: FileRead, other: FileRead): boolean =>
  one.text === other.text && one.problem === other.problem;

const load = async ({ text, problem }: FileRead) => {
  const { entries, faults } = await parseLines(text);
  return { count: entries.size, find: createTokenLookup(entries.values()), faults, problem };
};

/** The tokens of a file, and its errors. */
type Tokens = Awaited<ReturnType<typeof load>>;

const checkTokens = (file: string, { problem, faults: [fault] }: Tokens): void => {
  if (problem !== undefined) throw new Error(`ACCESS_TOKENS_FILE: ${file} cannot be read (${problem})`);
  if (fault) throw new Error(`ACCESS_TOKENS_FILE: line ${fault.position} of ${file} ${fault.reason}`);
};

const logFaults = (file: string, log: Log, faults: readonly Fault[]): void => {
  for (const { position, reason } of faults.slice(0, MAX_FAULTS))
    log.warn({ file, line: position }, `a line of the token file is left out: it ${reason}`);
  const more = faults.length - MAX_FAULTS;
  if (more > 0) log.warn({ file, lines: more }, 'more lines of the token file are left out');
};

const report = (file: string, log: Log, { count, problem, faults }: Tokens): void => {
  if (problem === undefined) log.info({ file, tokens: count }, 'the token file is read');
  else log.warn({ file, reason: problem }, 'the token file cannot be read; its tokens are answered 503');
  logFaults(file, log, faults);
};

/**
 * Opens a token file and follows it. It is read every second, because watchers miss changes on some file systems, behind
 * links and across renames. A change is taken when two reads in a row agree, so that nothing half written is. Invalid
 * lines are logged and left out. While the file cannot be read, its tokens are answered 503. A file that has faults when
 * it is opened is refused, unless `isTolerant`: then they are logged, like later ones.
 */
export const openTokenFile = async (
  file: string,
  log: Log,
  { isTolerant, interval = 1000 }: TokenFileOptions,
) => {
  let taken = await read(file);
  let tokens = await load(taken);
  if (!isTolerant) checkTokens(file, tokens);
  else if (tokens.problem !== undefined || tokens.faults.length > 0) report(file, log, tokens);

  let isClosed = false;
  const follow = async (): Promise<void> => {
    let last = taken;
    while (!isClosed) {
      await sleep(interval, undefined, { ref: false });
      const current = await read(file);
      if (isSame(current, last) && !isSame(current, taken)) {
        taken = current;
        tokens = await load(current);
        report(file, log, tokens);
      }
      last = current;
    }
  };
  void follow();

  return {
    /** Finds the owner of a token; `undefined` if the token is unknown or the file cannot be read. */
    find: (token: string) => tokens.find(token),
    /** The answer to tokens while the file cannot be read; `undefined` while it can. */
    problem: () =>
      tokens.problem === undefined
        ? undefined
        : unavailable('tokens cannot be looked up at the moment; try again'),
    close(): void {
      isClosed = true;
    },
  };
};
