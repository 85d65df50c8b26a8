/**
 * trellis build: builds `dist` from the sources, unless it is up to date. `npm start`, the tests and the drills run it
 * first.
 *
 * A build is written to a temporary folder, which replaces `dist` once it is complete. An interrupted build changes
 * nothing; of two concurrent builds the last one wins.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { changesSince, readInputs, writeStamp } from './build/stamp.ts';
import { checkTypes } from './compiler.ts';
import type { Config } from './config.ts';

const DIST = 'dist';
const DRAFT = /^\.dist-(\d+)/;

/** What tsc knows of its last run. */
const TSC_STATE = '.tsbuildinfo';

const remove = (path: string): void => rmSync(path, { recursive: true, force: true });

const say = (text: string): void => void process.stderr.write(`${text}\n`);

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const removeAbandonedDrafts = (): void => {
  for (const name of readdirSync('.')) {
    const pid = Number(DRAFT.exec(name)?.[1] ?? process.pid);
    if (!isAlive(pid)) remove(name);
  }
};

/** Checks the types, incrementally since the last build. */
const checkBuilt = async (draft: string): Promise<void> => {
  if (existsSync(join(DIST, TSC_STATE))) cpSync(join(DIST, TSC_STATE), join(draft, TSC_STATE));
  const fits = await checkTypes('--incremental', '--tsBuildInfoFile', join(draft, TSC_STATE));
  if (!fits)
    throw new Error(
      'not built: the types do not fit; see above. Errors in generated are faults of Trellis: please report them',
    );
};

/** Puts a whole build in the place of the one before. There may be another one by now, whole too: this one is newer. */
const putInPlace = (draft: string): void => {
  const old = `${draft}-old`;
  for (let isDone = false; !isDone; remove(old))
    try {
      if (existsSync(DIST)) renameSync(DIST, old);
      renameSync(draft, DIST);
      isDone = true;
    } catch (error) {
      const isRace =
        error instanceof Error && 'code' in error && /ENOTEMPTY|EEXIST|ENOENT/.test(`${error.code}`);
      if (!isRace || !existsSync(draft)) throw error;
    }
};

/** `trellis build`: makes `dist`, unless it is up to date. */
export const runBuild = async (config: Config): Promise<true> => {
  const began = performance.now();
  const inputs = readInputs(config.inputs);
  const changed = changesSince(DIST, inputs);
  if (changed?.length === 0) {
    say(`${DIST} is up to date`);
    return true;
  }
  const [first, ...others] = changed ?? [];
  const reason =
    first === undefined
      ? 'there is no whole build'
      : `${first}${others.length > 0 ? ` and ${others.length} more` : ''} changed`;
  say(`building ${DIST}: ${reason}`);
  removeAbandonedDrafts();
  const draft = `.dist-${process.pid}`;
  try {
    mkdirSync(draft);
    const { buildPrograms } = await import('./build/programs.ts');
    await Promise.all([checkBuilt(draft), buildPrograms(draft, config)]);
    writeStamp(draft, inputs);
    putInPlace(draft);
  } finally {
    remove(draft);
  }
  say(`built in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return true;
};
