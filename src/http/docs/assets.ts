import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { once } from '../../contract/json/once.ts';
import { ICON } from './page.ts';

/** A file of the docs page. Its version is a hash of its content. */
export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
  readonly version: string;
  /** The compressed content; the first call compresses it. */
  readonly gzipped: () => Promise<Buffer>;
}

const compress = promisify(gzip);

/** Creates a file of the docs page. */
export const createAsset = (type: string, content: string | Buffer): Asset => {
  const bytes = Buffer.from(content);
  return {
    type,
    bytes,
    version: createHash('sha256').update(bytes).digest('base64url').slice(0, 16),
    gzipped: once(() => compress(bytes)),
  };
};

/** Where scripts/support/reference.ts puts the files, seen from dist/bin/, dist/src/http/docs/ and src/http/docs/. */
const FOLDERS = ['../docs/', '../../../docs/', '../../../dist/docs/'];

const readIfThere = (file: string): Buffer | undefined => {
  try {
    return readFileSync(fileURLToPath(new URL(file, import.meta.url)));
  } catch {
    return undefined;
  }
};

/** Reads a file now, because a build may replace it while the service runs. One that is missing fails when it is asked for. */
const readBuilt = (type: string, file: string): (() => Asset) => {
  const content = FOLDERS.map((folder) => readIfThere(folder + file)).find((each) => each !== undefined);
  const asset = content && createAsset(type, content);
  return () => {
    if (asset) return asset;
    throw new Error(`the API reference is not built: ${file} was missing at the start; npm run build`);
  };
};

/** Reads the files of the docs page, by name. */
export const readAssets = () =>
  ({
    'reference.css': readBuilt('text/css; charset=utf-8', 'reference.css'),
    'reference.js': readBuilt('text/javascript; charset=utf-8', 'reference.js'),
    'icon.svg': once(() => createAsset('image/svg+xml', ICON)),
  }) as const satisfies Readonly<Record<string, () => Asset>>;
