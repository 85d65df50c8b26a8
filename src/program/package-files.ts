import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A file beside package.json, wherever this module runs from: src/program/, dist/src/program/ or dist/bin/. */
const find = (name: string): string =>
  ['../../', '../../../'].map((up) => fileURLToPath(new URL(up + name, import.meta.url))).find(existsSync) ??
  name;

/** The contract that comes with this package. */
export const CONTRACT_FILE = find('openapi.yaml');

/** Written into the programs by scripts/build/programs.ts, so that they run without package.json. */
declare const BUILT_VERSION: string | undefined;

/** The version of this release. */
export const readVersion = (): string =>
  typeof BUILT_VERSION === 'string'
    ? BUILT_VERSION
    : JSON.parse(readFileSync(find('package.json'), 'utf8')).version;
