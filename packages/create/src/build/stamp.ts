/** Detects whether a build is complete and up to date, by the contents of its inputs and outputs. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Inputs of a build. npm writes the last one on every install. */
const INPUTS = [
  'src',
  'generated',
  'openapi.yaml',
  'contract',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'node_modules/.package-lock.json',
];

/** A file in the folder of a build, written last: a build without it is not whole. */
const STAMP = '.built';

/** A folder that the service writes into `dist`. */
const CACHE = '.cache';

type Hashes = Readonly<Record<string, string>>;

interface Stamp {
  readonly inputs: Hashes;
  readonly outputs: Hashes;
}

/** The files at a path, all below it included; none if nothing is there. */
export const filesIn = (path: string): string[] => {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => name !== STAMP && name !== CACHE)
    .flatMap((name) => filesIn(join(path, name)));
};

const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('base64');

/** The hash of every input, by name, and the platform that the build is for. */
export const readInputs = (others: readonly string[] = []): Hashes => ({
  ...Object.fromEntries([...INPUTS, ...others].flatMap(filesIn).map((file) => [file, hashOf(file)])),
  'the version of Node': `${process.version} ${process.platform} ${process.arch}`,
});

const readOutputs = (folder: string): Hashes =>
  Object.fromEntries(filesIn(folder).map((file) => [file.slice(folder.length), hashOf(file)]));

const differences = (one: Hashes, other: Hashes): string[] =>
  Object.keys({ ...one, ...other }).filter((name) => one[name] !== other[name]);

/** The inputs that changed since a build, by name; `undefined` if no build is complete. */
export const changesSince = (folder: string, inputs: Hashes): string[] | undefined => {
  try {
    const stamp: Stamp = JSON.parse(readFileSync(join(folder, STAMP), 'utf8'));
    const isWhole = differences(stamp.outputs, readOutputs(folder)).length === 0;
    return isWhole ? differences(stamp.inputs, inputs) : undefined;
  } catch {
    return undefined; // none, or one that cannot be read: build anew
  }
};

/**
 * Marks a build as complete. `inputs` must be read before the build, so that files saved during it count as changed.
 */
export const writeStamp = (folder: string, inputs: Hashes): void =>
  writeFileSync(
    join(folder, STAMP),
    JSON.stringify({ inputs, outputs: readOutputs(folder) } satisfies Stamp),
  );
