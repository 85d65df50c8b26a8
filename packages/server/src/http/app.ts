import type { Problem } from '@trellis/contract';
import { answerOtherMethod, type ServeContract } from '@trellis/contract/internal';
import { noSuchPath } from '@trellis/contract/internal/handlers';
import type { Document } from '@trellis/openapi/internal/document';
import express, { type ErrorRequestHandler, type Express, type IRouter, type RequestHandler } from 'express';
import type { Cors } from './cors.ts';
import { createDocs } from './docs/routes.ts';
import { addForwarded } from './forwarded.ts';
import { ExchangeResponse, exchangeOf, isAborted, onFlushed } from './observe/exchange.ts';
import type { Metrics } from './observe/metrics.ts';
import type { RequestObserver } from './observe/request-observer.ts';
import { send, sendError } from './reply/reply.ts';
import { createSharedValue } from './reply/shared-value.ts';

/** The parts of an app. */
export interface AppOptions {
  readonly contract: ServeContract;
  /** Logs and counts requests: the same one that the server has. */
  readonly observer: RequestObserver;
  readonly metrics: Pick<Metrics, 'render'>;
  /** Gives the Problem of a service that is not ready, within a bounded time; `undefined` if it is ready. */
  readonly check: () => Promise<Problem | undefined>;
  /** The contract to show at /docs, from `loadDocument`; without it there is no /docs. */
  readonly document?: Document | undefined;
  /** The paths that operations are below, for the message of a 404. */
  readonly basePaths?: readonly string[];
  /** Answers the preflights of pages of other origins, from `createCors`; the observer adds its fields to replies. */
  readonly cors?: Cors | undefined;
  /** The proxies whose headers are trusted, as in Express's `trust proxy`; by default, the trusted proxies of a parent app. */
  readonly trustProxy?: readonly string[] | undefined;
  /** Middleware of the owner, which gets every request before the contract does. */
  readonly use?: readonly RequestHandler[] | undefined;
  /** Routes of the owner, for paths that nothing else serves. */
  readonly routes?: RequestHandler | undefined;
}

const serveContract =
  (contract: ServeContract, { start }: RequestObserver): RequestHandler =>
  (request, response, next) => {
    const reply = contract(start(request, response));
    return reply ? reply.then((sent) => send(response, sent)) : next();
  };

const servePreflights =
  ({ answerPreflight }: Cors, { start }: RequestObserver): RequestHandler =>
  (request, response, next) => {
    const reply = answerPreflight(request);
    if (!reply) return next();
    start(request, response);
    send(response, reply);
  };

/** `OPTIONS *` asks about the server as a whole (RFC 9110, section 9.3.7). */
const handleOtherPath =
  (basePaths: readonly string[]): RequestHandler =>
  ({ method, originalUrl, baseUrl, path }, response) => {
    if (method !== 'OPTIONS' || originalUrl !== '*')
      throw noSuchPath(
        baseUrl + path,
        basePaths.map((base) => baseUrl + base),
      );
    send(response, { status: 204, headers: {}, payload: '' });
  };

/** The log, the metrics and the trace name a request beside the contract by the path of its route. */
const nameOperation =
  (path: string): RequestHandler =>
  (_request, response, next) => {
    const exchange = exchangeOf(response);
    if (exchange) exchange.operation = path;
    exchange?.trace?.matched(path);
    next();
  };

const handleOtherMethod: RequestHandler = ({ method, baseUrl, path }, response) =>
  send(response, answerOtherMethod(method, baseUrl + path, ['GET', 'HEAD']));

const handleLiveness: RequestHandler = (_request, response) => {
  const payload = '{"status":"ok"}';
  const headers = { 'Content-Type': 'application/json', 'Content-Length': payload.length };
  send(response, { status: 200, headers, payload });
};

const createReadinessHandler =
  (check: AppOptions['check']): RequestHandler =>
  async (request, response, next) => {
    const problem = await check();
    if (problem) throw problem;
    handleLiveness(request, response, next);
  };

const createMetricsHandler = ({ render }: AppOptions['metrics']): RequestHandler => {
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
      payload: [payload],
    });
    onFlushed(response, release);
  };
};

/** Logs and counts requests that the owner's own middleware or routes answer: no reply of ours finishes those. */
const finishOnClose =
  ({ start }: RequestObserver): RequestHandler =>
  (request, response, next) => {
    const exchange = start(request, response);
    if (ExchangeResponse.isOwn(response)) response.keepMethods();
    response.once('close', () => {
      if (exchange.isFinished) return;
      const route: unknown = request.route?.path;
      if (typeof route === 'string') exchange.operation = request.baseUrl + route;
      exchange.finish(response.headersSent ? response.statusCode : undefined);
    });
    next();
  };

const handleError: ErrorRequestHandler = (error: unknown, request, response, _next) => {
  // A client that hung up is no failure of the service.
  const hasHungUp = error === request.errored || (request.destroyed && !request.complete);
  const exchange = exchangeOf(response);
  const hasGivenUp = exchange !== undefined && isAborted(exchange, error);
  if (hasGivenUp) response.destroy();
  if (hasHungUp || hasGivenUp) exchange?.finish(undefined);
  else sendError(response, error);
};

const serveAt = (router: IRouter, path: string, serve: RequestHandler): void =>
  void router.route(path).all(nameOperation(path)).get(serve).all(handleOtherMethod);

/** Strict routing, because the page refers to its files by relative URLs. */
const serveDocs = (document: Document): RequestHandler => {
  const router = express.Router({ strict: true, caseSensitive: true });
  for (const [path, serve] of createDocs(document)) serveAt(router, path, serve);
  return router;
};

/** The service as an Express app: listen with it, or mount it in another app under a path. */
export const createApp = ({
  contract,
  observer,
  metrics,
  check,
  document,
  cors,
  trustProxy = [],
  use = [],
  routes,
  basePaths = [],
}: AppOptions): Express => {
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing').enable('strict routing'); // paths are case-sensitive (RFC 3986, section 6.2.2.1)
  if (trustProxy.length > 0) app.set('trust proxy', trustProxy);
  addForwarded(app);
  if (cors) app.use(servePreflights(cors, observer));
  if (routes || use.length > 0) app.use(finishOnClose(observer), ...use);
  app.use(serveContract(contract, observer));
  serveAt(app, '/healthz', handleLiveness);
  serveAt(app, '/readyz', createReadinessHandler(check));
  serveAt(app, '/metrics', createMetricsHandler(metrics));
  if (document) app.use(serveDocs(document));
  if (routes) app.use(routes);
  app.use(handleOtherPath(basePaths));
  app.use(handleError);
  return app;
};
