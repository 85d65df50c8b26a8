/** Explains why the service did not start. */
import { relative } from 'node:path';
import { HANDLERS, HANDLERS_FOLDER } from '../generate/handlers.ts';

/** Why a service did not start. */
export interface Failure {
  /** What to tell; empty if its log has told it. */
  readonly lines: readonly string[];
  /** Whether a file is missing: the type check would say the same in other words. */
  readonly isFileMissing: boolean;
}

const MISSING = /Cannot find (?:module|package) '([^']+)' imported from '?(.+?)'?$/m;

/** The lines of a stack, and those that Node prints around an error. */
const NOISE =
  /^\s*(?:at .*|\^+|\w+\($|throw .*|triggerUncaughtException.*|node:internal.*|Node\.js v.*|\}|code: .*|url: .*)?$/;

const MAX_LINES = 10;

/** Turns what a service wrote to standard error into a few lines: what is missing and the remedy, or the error itself. */
export const explainFailure = (errors: string): Failure => {
  const [, missing, importer] = MISSING.exec(errors) ?? [];
  if (missing === undefined || importer === undefined) {
    const lines = errors.split('\n').filter((line) => !NOISE.test(line));
    return { lines: lines.slice(0, MAX_LINES), isFileMissing: false };
  }
  const [file, from] = [relative('.', missing), relative('.', importer)];
  const isHandler = from === HANDLERS && file.startsWith(HANDLERS_FOLDER);
  const line = isHandler
    ? `the handler ${file} is missing: put it back (\`git checkout -- ${file}\`), or let \`npm run generate\` write a stub`
    : `${file}, which ${from} imports, is missing: put it back, or correct the import`;
  return { lines: [line], isFileMissing: true };
};
