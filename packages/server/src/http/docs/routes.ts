import { once } from '@trellis/openapi/json';
import { loadReference } from '@trellis/reference';
import type { Request, RequestHandler, Response } from 'express';
import type { Document } from 'openapi-backend';
import { send } from '../reply/reply.ts';
import { addressOf, forwardedBase } from './base.ts';
import { type ContractText, contractAsJson, contractAsYaml } from './contract.ts';
import { type Asset, createAsset, createAssets, PAGE_POLICY, renderPage } from './page.ts';

type Headers = Readonly<Record<string, string>>;

/** Sends a cacheable reply, or 304 if the copy of the client is still valid. */
const sendCacheable = (
  request: Request,
  response: Response,
  headers: Headers,
  parts: readonly Buffer[],
): void => {
  const { ETag = '', ...rest } = { 'X-Content-Type-Options': 'nosniff', ...headers };
  response.set({ ETag }); // `fresh` compares it
  const length = parts.reduce((total, part) => total + part.length, 0);
  if (request.fresh) send(response, { status: 304, headers: rest, payload: '' });
  else send(response, { status: 200, headers: { ...rest, 'Content-Length': length }, payload: parts });
};

const serveContract =
  (type: string, contract: ContractText): RequestHandler =>
  (request, response) => {
    const { parts, etag } = contract(addressOf(request));
    const headers = {
      'Content-Type': type,
      ETag: etag,
      'Cache-Control': 'no-cache',
      Vary: 'Host, Forwarded, X-Forwarded-Proto, X-Forwarded-Host, X-Forwarded-Prefix',
    };
    sendCacheable(request, response, headers, parts);
  };

/** A URL with the version never changes its content; without the version, clients must revalidate. */
const serveAsset =
  (asset: () => Promise<Asset>, more: Headers = {}): RequestHandler =>
  async (request, response) => {
    const { type, bytes, version, gzipped } = await asset();
    const isGzip = request.acceptsEncodings('gzip', 'identity') === 'gzip';
    const headers = {
      'Content-Type': type,
      ETag: isGzip ? `"${version}-gzip"` : `"${version}"`,
      'Cache-Control': request.query.v === version ? 'public, max-age=31536000, immutable' : 'no-cache',
      Vary: 'Accept-Encoding',
      ...(isGzip && { 'Content-Encoding': 'gzip' }),
      ...more,
    };
    sendCacheable(request, response, headers, [isGzip ? await gzipped() : bytes]);
  };

/** Redirects to the page: relative to the request, or under the prefix of a proxy. */
const redirectToPage =
  (relativeTo: (request: Request) => string): RequestHandler =>
  (request, response) => {
    const base = forwardedBase(request);
    const Location = base === undefined ? relativeTo(request) : `${base}/docs`;
    const headers = { Location, Vary: 'X-Forwarded-Prefix', 'Content-Length': 0 };
    send(response, { status: 302, headers, payload: '' });
  };

/** An app that is mounted under /garden is requested as /garden/ or as /garden. */
const fromRoot = ({ baseUrl, originalUrl }: Request): string => {
  const isFolder = baseUrl === '' || /^[^?]*\/(?:\?|$)/.test(originalUrl);
  return isFolder ? './docs' : `.${baseUrl.slice(baseUrl.lastIndexOf('/'))}/docs`;
};

/** The files of the page. */
const FILES = ['reference.css', 'reference.js', 'icon.svg'] as const;

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
    ['/openapi.json', serveContract('application/json', contractAsJson(document))],
    ['/openapi.yaml', serveContract('application/yaml', contractAsYaml(document))],
  ]);
};
