import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { escapeMarkup } from '@trellis/contract/internal';
import { once } from '@trellis/openapi/internal/json';
import type { ReferenceFiles } from '@trellis/reference';

/** A file that is shown: of the docs page, or the contract. Its version is a hash of its content. */
export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
  readonly version: string;
  /** The compressed content; the first call compresses it. */
  readonly gzipped: () => Promise<Buffer>;
}

const compress = promisify(gzip);

/** Creates a file to show. */
export const createAsset = (type: string, content: string | Buffer): Asset => {
  const bytes = Buffer.from(content);
  return {
    type,
    bytes,
    version: createHash('sha256').update(bytes).digest('base64url').slice(0, 16),
    gzipped: once(() => compress(bytes)),
  };
};

/** The names of the files of the docs page. */
export const FILES = ['reference.css', 'reference.js', 'icon.svg'] as const;
type File = (typeof FILES)[number];

/** The files of the docs page, by name. */
export const createAssets = ({ script, style }: ReferenceFiles): Readonly<Record<File, Asset>> => ({
  'reference.css': createAsset('text/css; charset=utf-8', style),
  'reference.js': createAsset('text/javascript; charset=utf-8', script),
  'icon.svg': createAsset('image/svg+xml', ICON),
});

/** A pair of braces on a green background. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#2f7d4f"/><path d="M13 7c-4 0-1 8-5 9 4 1 1 9 5 9M19 7c4 0 1 8 5 9-4 1-1 9-5 9" fill="none" stroke="#fff" stroke-width="2.5" stroke-linecap="round"/></svg>
`;

/**
 * The Content-Security-Policy of the page: only files of this server, no inline scripts, no eval. `data:` is for
 * pictures in descriptions, and `blob:` for pictures in replies.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Renders the page. All its URLs are relative, so that it works under any path. */
export const renderPage = (title: string, urlOf: (file: File) => string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeMarkup(title)}</title>
<link rel="icon" type="image/svg+xml" href="${urlOf('icon.svg')}">
<link rel="stylesheet" href="${urlOf('reference.css')}">
<script defer src="${urlOf('reference.js')}"></script>
</head>
<body>
<div id="reference"></div>
<noscript>This page needs JavaScript; the contract does not:
<a href="openapi.json">openapi.json</a> <a href="openapi.yaml">openapi.yaml</a></noscript>
</body>
</html>
`;
