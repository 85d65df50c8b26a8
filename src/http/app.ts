import express, { type ErrorRequestHandler, type Express, type IRouter, type RequestHandler } from 'express';
import type { Document } from 'openapi-backend';
import type { Contract } from '../contract/contract.ts';
import { Problem } from '../contract/problems/problem.ts';
import { createDocs } from './docs/routes.ts';
import type { Metrics } from './observe/metrics.ts';
import type { RequestObserver } from './observe/request-observer.ts';
import { onFlushed } from './reply/flushed.ts';
import { jsonReply, noSuchPath, send, sendError } from './reply/reply.ts';
import { createSharedValue } from './reply/shared-value.ts';

/** The parts of an app. */
export interface AppOptions {
  readonly contract: Contract;
  /** Logs and counts requests: the same one that the server has. */
  readonly observer: RequestObserver;
  readonly metrics: Metrics;
  /** Gives the Problem of a service that is not ready, within a bounded time; `undefined` if it is ready. */
  readonly check: () => Promise<Problem | undefined>;
  /** The contract to show at /docs, from `loadDocument`; without it there is no /docs. */
  readonly document?: Document;
}

const serveContract =
  (contract: Contract, { start }: RequestObserver): RequestHandler =>
  (request, response, next) => {
    const reply = contract(request, start(request, response));
    return reply ? reply.then((sent) => send(response, sent)) : next();
  };

const refusePath: RequestHandler = ({ baseUrl, path }) => {
  throw noSuchPath(baseUrl + path);
};

/** The log and the metrics name a request beside the contract by the path of its route. */
const nameOperation =
  (path: string): RequestHandler =>
  (_request, response, next) => {
    if (response.record) response.record.operation = path;
    next();
  };

const refuseMethod: RequestHandler = ({ method, baseUrl, path }) => {
  const headers = { Allow: 'GET, HEAD' };
  throw new Problem('noSuchMethod', `${method} is not allowed on ${baseUrl}${path}; use ${headers.Allow}`, {
    headers,
  });
};

const createReadinessHandler =
  (check: AppOptions['check']): RequestHandler =>
  async (_request, response) => {
    const problem = await check();
    if (problem) throw problem;
    send(response, jsonReply(200, { status: 'ok' }));
  };

const handleLiveness: RequestHandler = (_request, response) =>
  send(response, jsonReply(200, { status: 'ok' }));

const createMetricsHandler = ({ render }: Metrics): RequestHandler => {
  const renderShared = createSharedValue(async () => {
    const { mediaType, text } = await render();
    return { mediaType, payload: Buffer.from(text) };
  });
  return async (_request, response) => {
    const { value, release } = await renderShared();
    const { mediaType, payload } = value;
    send(response, {
      status: 200,
      headers: { 'Content-Type': mediaType, 'Content-Length': payload.length },
      payload,
    });
    onFlushed(response, release);
  };
};

const handleError: ErrorRequestHandler = (error: unknown, request, response, _next) => {
  // A client that hung up in the middle of its request is no failure of the service.
  const hasHungUp = error === request.errored || (request.destroyed && !request.complete);
  if (hasHungUp) response.record?.finish(response, undefined);
  else sendError(response, error);
};

const serveAt = (router: IRouter, path: string, serve: RequestHandler): void =>
  void router.route(path).all(nameOperation(path)).get(serve).all(refuseMethod);

/** Strict routing, because the page refers to its files by relative URLs. */
const serveDocs = (document: Document): RequestHandler => {
  const router = express.Router({ strict: true, caseSensitive: true });
  for (const [path, serve] of createDocs(document)) serveAt(router, path, serve);
  return router;
};

/** The service as an Express app: listen with it, or mount it in another app under a path. */
export const createApp = ({ contract, observer, metrics, check, document }: AppOptions): Express => {
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing').enable('strict routing'); // paths are case-sensitive (RFC 3986, section 6.2.2.1)
  app.use(serveContract(contract, observer));
  serveAt(app, '/healthz', handleLiveness);
  serveAt(app, '/readyz', createReadinessHandler(check));
  serveAt(app, '/metrics', createMetricsHandler(metrics));
  if (document) app.use(serveDocs(document));
  app.use(refusePath);
  app.use(handleError);
  return app;
};
