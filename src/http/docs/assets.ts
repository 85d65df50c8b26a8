import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { once } from '../../contract/json/once.ts';
import { ICON } from './page.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

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

const CSS = 'text/css; charset=utf-8';
const JAVASCRIPT = 'text/javascript; charset=utf-8';

const readSwagger = (file: string): Buffer =>
  readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${file}`));

/** The files of Swagger UI that are needed, and those that this service adds, by name. Each is read on first use. */
export const ASSETS = {
  'swagger-ui.css': once(() => createAsset(CSS, readSwagger('swagger-ui.css'))),
  'swagger-ui-bundle.js': once(() => createAsset(JAVASCRIPT, readSwagger('swagger-ui-bundle.js'))),
  'page.css': once(() => createAsset(CSS, STYLE)),
  'page.js': once(() => createAsset(JAVASCRIPT, SCRIPT)),
  'icon.svg': once(() => createAsset('image/svg+xml', ICON)),
} as const satisfies Readonly<Record<string, () => Asset>>;
