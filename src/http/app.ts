import { setTimeout as sleep } from 'node:timers/promises';
import express, { type ErrorRequestHandler, type Express, type IRouter, type RequestHandler } from 'express';
import type { Document } from 'openapi-backend';
import type { Contract } from '../contract/contract.ts';
import { Problem } from '../contract/problems/problem.ts';
import { createDocs } from './docs/routes.ts';
import type { Metrics } from './observe/metrics.ts';
import type { Watch } from './observe/watch.ts';
import { onceLeft } from './reply/leaving.ts';
import { jsonReply, nothingAt, send, sendError } from './reply/reply.ts';
import { createShared } from './reply/shared.ts';

/** What an app is made of. */
export interface AppOptions {
  readonly contract: Contract;
  /** Sees every request: the same that the server has. */
  readonly watch: Watch;
  readonly metrics: Metrics;
  /** Tells why the service cannot do its work now, in a word; `undefined` if it can. */
  readonly check: () => Promise<string | undefined>;
  /** The contract to show at /docs, from `loadDocument`; without one nothing is shown. */
  readonly document?: Document;
}

const serveContract =
  (contract: Contract, { open }: Watch): RequestHandler =>
  (request, response, next) => {
    const reply = contract(request, open(request, response));
    return reply ? reply.then((sent) => send(response, sent)) : next();
  };

const refusePath: RequestHandler = ({ baseUrl, path }) => {
  throw nothingAt(baseUrl + path);
};

/** Beside the contract a request goes by the path that serves it, in the log and in the figures. */
const nameAfter =
  (path: string): RequestHandler =>
  (_request, response, next) => {
    if (response.exchange) response.exchange.operation = path;
    next();
  };

const refuseMethod: RequestHandler = ({ method, baseUrl, path }) => {
  const headers = { Allow: 'GET, HEAD' };
  throw new Problem('noSuchMethod', `${method} is not allowed on ${baseUrl}${path}; use ${headers.Allow}`, {
    headers,
  });
};

/** Longer than this a probe does not wait. */
const READY_WITHIN = 2000;

/** However many ask, the store is asked one thing at a time: a store that is slow has enough to do. */
const tellReady = (check: AppOptions['check']): RequestHandler => {
  let asking: Promise<string | undefined> | undefined;
  const ask = (): Promise<string | undefined> => {
    asking ??= check().finally(() => {
      asking = undefined;
    });
    return Promise.race([asking, sleep(READY_WITHIN, 'timeout', { ref: false })]);
  };
  return async (_request, response) => {
    const reason = await ask();
    if (reason !== undefined)
      throw new Problem('storeUnavailable', reason, { headers: { 'Retry-After': '1' } });
    send(response, jsonReply(200, { status: 'ok' }));
  };
};

const tellAlive: RequestHandler = (_request, response) => send(response, jsonReply(200, { status: 'ok' }));

const tellMetrics = ({ render }: Metrics): RequestHandler => {
  const ask = createShared(async () => {
    const { mediaType, text } = await render();
    return { mediaType, payload: Buffer.from(text) };
  });
  return async (_request, response) => {
    const { value, release } = await ask();
    const { mediaType, payload } = value;
    send(response, {
      status: 200,
      headers: { 'Content-Type': mediaType, 'Content-Length': payload.length },
      payload,
    });
    onceLeft(response, release);
  };
};

const replyToError: ErrorRequestHandler = (error: unknown, request, response, _next) => {
  // A client that has hung up before we had its request gets no answer, and is no failure of ours.
  const hasHungUp = error === request.errored || (request.destroyed && !request.complete);
  if (hasHungUp) response.exchange?.end(response, undefined);
  else sendError(response, error);
};

const serveAt = (router: IRouter, path: string, serve: RequestHandler): void =>
  void router.route(path).all(nameAfter(path)).get(serve).all(refuseMethod);

/** Strict, because what is there refers to its neighbours. */
const serveDocs = (document: Document): RequestHandler => {
  const router = express.Router({ strict: true, caseSensitive: true });
  for (const [path, serve] of createDocs(document)) serveAt(router, path, serve);
  return router;
};

/** The service as an Express app: listen with it, or mount it in another app under a path. */
export const createApp = ({ contract, watch, metrics, check, document }: AppOptions): Express => {
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing').enable('strict routing'); // as RFC 3986 compares paths, section 6.2.2.1
  app.use(serveContract(contract, watch));
  serveAt(app, '/healthz', tellAlive);
  serveAt(app, '/readyz', tellReady(check));
  serveAt(app, '/metrics', tellMetrics(metrics));
  if (document) app.use(serveDocs(document));
  app.use(refusePath);
  app.use(replyToError);
  return app;
};
