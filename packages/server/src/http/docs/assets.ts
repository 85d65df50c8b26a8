import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { once } from '@trellis/openapi/json';
import type { ReferenceFiles } from '@trellis/reference';
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

/** The files of the docs page, by name. */
export const createAssets = ({ script, style }: ReferenceFiles) => ({
  'reference.css': createAsset('text/css; charset=utf-8', style),
  'reference.js': createAsset('text/javascript; charset=utf-8', script),
  'icon.svg': createAsset('image/svg+xml', ICON),
});
