import { replaceServers } from '@trellis/contract/internal';
import { type Document, dumpExact, withAdditional } from '@trellis/openapi/internal/document';
import { once, toJson } from '@trellis/openapi/internal/json';
import { loadReference } from '@trellis/reference';
import type { Request, RequestHandler } from 'express';
import { send } from '../reply/reply.ts';
import { type Asset, createAsset, createAssets, FILES, PAGE_POLICY, renderPage } from './page.ts';

/** The document with servers that are relative to it (OpenAPI 3.1, section 4.8.5), so that it is right behind any proxy. */
const shown = (document: Document): unknown =>
  withAdditional(
    replaceServers(document, (path) => [
      { url: `.${path}`, description: 'The server that this document was loaded from' },
    ]),
  );

type Headers = Readonly<Record<string, string>>;

/** A URL with the version never changes its content; without the version, clients must revalidate. */
const serveAsset =
  (asset: () => Promise<Asset>, more: Headers = {}): RequestHandler =>
  async (request, response) => {
    const { type, bytes, version, gzipped } = await asset();
    const isGzip = request.acceptsEncodings('gzip', 'identity') === 'gzip';
    const headers = {
      'Content-Type': type,
      'Cache-Control': request.query.v === version ? 'public, max-age=31536000, immutable' : 'no-cache',
      Vary: 'Accept-Encoding',
      'X-Content-Type-Options': 'nosniff',
      ...(isGzip && { 'Content-Encoding': 'gzip' }),
      ...more,
    };
    response.set({ ETag: isGzip ? `"${version}-gzip"` : `"${version}"` }); // `fresh` compares it
    if (request.fresh) {
      send(response, { status: 304, headers, payload: '' });
      return;
    }
    const payload = isGzip ? await gzipped() : bytes;
    send(response, {
      status: 200,
      headers: { ...headers, 'Content-Length': payload.length },
      payload: [payload],
    });
  };

/** Redirects to the page, relative to the request: so it leads there behind any proxy. */
const redirectToPage =
  (locate: (request: Request) => string): RequestHandler =>
  (request, response) => {
    const headers = { Location: locate(request), 'Content-Length': 0 };
    send(response, { status: 302, headers, payload: '' });
  };

/** An app that is mounted under /garden is requested as /garden/ or as /garden. */
const fromRoot = ({ baseUrl, originalUrl }: Request): string => {
  const isFolder = baseUrl === '' || /^[^?]*\/(?:\?|$)/.test(originalUrl);
  return isFolder ? './docs' : `.${baseUrl.slice(baseUrl.lastIndexOf('/'))}/docs`;
};

/**
 * Creates the handlers that show a contract, by path: the API reference, all of whose files this server has, and the
 * contract itself. They serve `GET` and `HEAD`, need no token, and show nothing that is not in the contract.
 */
export const createDocs = (document: Document): ReadonlyMap<string, RequestHandler> => {
  const load = once(async () => createAssets(await loadReference()));
  const page = once(async () => {
    const assets = await load();
    return createAsset(
      'text/html; charset=utf-8',
      renderPage(document.info.title, (file) => `docs/${file}?v=${assets[file].version}`),
    );
  });
  return new Map([
    ['/', redirectToPage(fromRoot)],
    ['/docs/', redirectToPage(() => '../docs')],
    [
      '/docs',
      serveAsset(page, {
        'Content-Security-Policy': PAGE_POLICY,
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Referrer-Policy': 'no-referrer',
      }),
    ],
    ...FILES.map((file) => [`/docs/${file}`, serveAsset(async () => (await load())[file])] as const),
    ['/openapi.json', serveAsset(once(async () => createAsset('application/json', toJson(shown(document)))))],
    [
      '/openapi.yaml',
      serveAsset(once(async () => createAsset('application/yaml', dumpExact(shown(document))))),
    ],
  ]);
};
