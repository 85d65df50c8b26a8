import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A file beside package.json, wherever this one runs from: src/, dist/src/ or dist/bin/. */
const find = (name: string): string =>
  ['../', '../../'].map((up) => fileURLToPath(new URL(up + name, import.meta.url))).find(existsSync) ?? name;

/** The contract that comes with this package. */
export const CONTRACT_FILE = find('openapi.yaml');

/** What scripts/build.ts writes into the programs: package.json need not be there where they run. */
declare const BUILT_VERSION: string | undefined;

/** Which release this is. */
export const readVersion = (): string =>
  typeof BUILT_VERSION === 'string'
    ? BUILT_VERSION
    : JSON.parse(readFileSync(find('package.json'), 'utf8')).version;
