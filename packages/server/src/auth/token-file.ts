import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '@trellis/openapi/json';
import type { Problem } from '../contract/problems/problem.ts';
import type { Principal } from '../contract/security.ts';
import { type Fault, parseLines } from './entries.ts';
import { createTokenLookup } from './static-tokens.ts';
import { type Log, unavailable } from './unavailable.ts';

/** The tokens of a file that may change at any time. */
export interface TokenFile {
  /** Finds the owner of a token; nobody while the file cannot be read. */
  readonly find: (token: string) => Principal | undefined;
  /** The answer to tokens while the file cannot be read; `undefined` while it can. */
  readonly problem: () => Problem | undefined;
  readonly close: () => void;
}

/** How a token file is opened. */
export interface TokenFileOptions {
  /** Whether the file may be missing or have lines with errors. Otherwise a service that starts tells at once. */
  readonly isTolerant: boolean;
}

/** How often the file is read, in milliseconds. */
const POLL_EVERY = 100;

/** A change takes effect after so many more polls, as the file is by then: whoever edits it may need a moment. */
const SETTLE_POLLS = 3;

/** After so many polls without a read the tokens are answered 503. */
const MAX_UNREAD_POLLS = 5;

const MAX_MEBIBYTES = 4;
const TOO_LARGE = 'EFBIG';

/** How many invalid lines are logged one by one. */
const MAX_FAULTS = 20;

/** The bytes of a file, or the code of the error that reading it failed with. */
type FileRead = Buffer | string;

/** Errors of the file itself: it does not exist, or may not be read. */
const FILE_ERRORS = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'EPERM']);

/** Whether a read says nothing about the file: no descriptor was free, the disk failed, or the file is too large. */
const isInconclusive = (content: FileRead): content is string =>
  typeof content === 'string' && !FILE_ERRORS.has(content);

const readLimited = async (file: string): Promise<FileRead> => {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    return size > MAX_MEBIBYTES * 1_048_576 ? TOO_LARGE : await handle.readFile();
  } finally {
    await handle.close();
  }
};

const isSame = (one: FileRead, other: FileRead): boolean =>
  typeof one === 'string' || typeof other === 'string' ? one === other : one.equals(other);

/** The tokens of a file; none if it cannot be read. */
const parse = async (content: FileRead) => {
  const { entries, faults } = await parseLines(
    typeof content === 'string' ? '' : new TextDecoder().decode(content),
  );
  return { count: entries.size, find: createTokenLookup(entries.values()), faults };
};

const refuse = (file: string, content: FileRead, [fault]: readonly Fault[]): void => {
  if (fault) throw new Error(`ACCESS_TOKENS_FILE: line ${fault.position} of ${file} ${fault.reason}`);
  if (content === TOO_LARGE)
    throw new Error(`ACCESS_TOKENS_FILE: ${file} is larger than ${MAX_MEBIBYTES} MiB`);
  if (typeof content === 'string') throw new Error(`ACCESS_TOKENS_FILE: ${file} cannot be read (${content})`);
};

const logFaults = (file: string, log: Log, content: FileRead, faults: readonly Fault[]): void => {
  if (typeof content === 'string')
    log.warn({ file, code: content }, 'the token file cannot be read; all its tokens are revoked');
  for (const { position, reason } of faults.slice(0, MAX_FAULTS))
    log.warn({ file, line: position }, `a line of the token file is left out: it ${reason}`);
  const more = faults.length - MAX_FAULTS;
  if (more > 0) log.warn({ file, lines: more }, 'more lines of the token file are left out');
};

/**
 * Opens a token file and follows its changes, each of which takes effect within half a second. Polling compares the
 * content, because timestamps and watchers miss changes on some file systems, behind links and across renames. Invalid
 * lines are logged and left out. A file that is deleted or may not be read has no tokens. If reading fails for another
 * reason, no free descriptor for example, its tokens are answered 503: they may have been revoked meanwhile. A file that
 * has faults when it is opened is refused, unless `isTolerant`: then they are logged, like later ones.
 */
export const openTokenFile = async (
  file: string,
  log: Log,
  { isTolerant }: TokenFileOptions,
): Promise<TokenFile> => {
  const read = () => readLimited(file).catch((error: unknown) => codeOf(error) || 'unknown');
  let content: FileRead = '';
  let tokens = await parse(content);
  const load = async (found: FileRead): Promise<void> => {
    content = found;
    tokens = await parse(content);
  };
  await load(await read());
  if (!isTolerant) refuse(file, content, tokens.faults);
  else if (tokens.count === 0 || tokens.faults.length > 0) {
    await sleep(SETTLE_POLLS * POLL_EVERY); // somebody may be editing it
    await load(await read());
  }

  let isAvailable = true;
  let lastError = 'ETIMEDOUT';
  const setAvailable = (value: boolean): void => {
    if (value === isAvailable) return;
    isAvailable = value;
    if (value) log.info({ file }, 'the token file can be looked at again');
    else
      log.warn({ file, code: lastError }, 'the token file cannot be looked at; its tokens are answered 503');
  };
  if (isInconclusive(content)) {
    lastError = content;
    setAvailable(false);
  } else logFaults(file, log, content, tokens.faults);

  let isClosed = false;
  let state: 'idle' | 'reading' | 'parsing' = 'idle';
  let unreadPolls = 0;
  let changedPolls = 0;
  const take = async (changed: FileRead): Promise<void> => {
    state = 'parsing';
    await load(changed);
    changedPolls = 0;
    setAvailable(true);
    if (typeof content !== 'string') log.info({ file, tokens: tokens.count }, 'the token file has changed');
    logFaults(file, log, content, tokens.faults);
  };
  const compare = async (result: FileRead): Promise<void> => {
    unreadPolls = 0;
    const isChanged = !isSame(result, content);
    changedPolls = isChanged ? changedPolls + 1 : 0;
    if (!isChanged) setAvailable(true);
    else if (changedPolls > SETTLE_POLLS) await take(result);
  };
  const poll = async (): Promise<void> => {
    state = 'reading';
    const result = await read();
    if (isClosed) return;
    if (isInconclusive(result)) lastError = result;
    else await compare(result);
    state = 'idle';
  };
  const timer = setInterval(() => {
    // Counts polls and not time: a process that was suspended has not failed to read.
    if (state !== 'parsing') unreadPolls += 1;
    if (unreadPolls >= MAX_UNREAD_POLLS) setAvailable(false);
    if (state === 'idle') void poll();
  }, POLL_EVERY).unref();

  return {
    find: (token) => (isAvailable ? tokens.find(token) : undefined),
    problem: () =>
      isAvailable ? undefined : unavailable('tokens cannot be looked up at the moment; try again'),
    close() {
      isClosed = true;
      clearInterval(timer);
    },
  };
};
