import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
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

const readBuilt = (file: string): Buffer => {
  const found = FOLDERS.map((folder) => fileURLToPath(new URL(folder + file, import.meta.url))).find(
    existsSync,
  );
  if (found === undefined)
    throw new Error(`the API reference is not built: ${file} is missing; npm run build`);
  return readFileSync(found);
};

/** The files of the docs page, by name. Each is read on first use. */
export const ASSETS = {
  'reference.css': once(() => createAsset('text/css; charset=utf-8', readBuilt('reference.css'))),
  'reference.js': once(() => createAsset('text/javascript; charset=utf-8', readBuilt('reference.js'))),
  'icon.svg': once(() => createAsset('image/svg+xml', ICON)),
} as const satisfies Readonly<Record<string, () => Asset>>;
