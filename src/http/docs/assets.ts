import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { once } from '../../contract/json/once.ts';
import { ICON } from './page.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

/** A file of the page: what it holds, and the short name of exactly that. */
export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
  readonly version: string;
  /** The same, compressed; once, for the first who asks. */
  readonly gzipped: () => Promise<Buffer>;
}

const compress = promisify(gzip);

/** Makes a file of the page. */
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

/**
 * Swagger UI and what this service adds to it, by file name. Nothing else of Swagger UI is needed, and none of it until
 * somebody looks.
 */
export const ASSETS = {
  'swagger-ui.css': once(() => createAsset(CSS, readSwagger('swagger-ui.css'))),
  'swagger-ui-bundle.js': once(() => createAsset(JAVASCRIPT, readSwagger('swagger-ui-bundle.js'))),
  'page.css': once(() => createAsset(CSS, STYLE)),
  'page.js': once(() => createAsset(JAVASCRIPT, SCRIPT)),
  'icon.svg': once(() => createAsset('image/svg+xml', ICON)),
} as const satisfies Readonly<Record<string, () => Asset>>;
