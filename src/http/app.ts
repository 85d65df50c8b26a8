import { setTimeout as sleep } from 'node:timers/promises';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import type { Document } from 'openapi-backend';
import type { Contract } from '../contract/contract.ts';
import { Problem } from '../contract/problem.ts';
import { createDocs } from './docs.ts';
import { createFailureLog, type Log } from './failure-log.ts';
import { jsonReply, problemReply, send, toProblem } from './reply.ts';

/** What an app is made of. */
export interface AppOptions {
  readonly contract: Contract;
  readonly log: Log;
  /** Tells why the service cannot do its work now, in a word; `undefined` if it can. */
  readonly check: () => Promise<string | undefined>;
  /** The contract to show at /docs, from `loadDocument`; without one nothing is shown. */
  readonly document?: Document;
}

const serveContract =
  (contract: Contract): RequestHandler =>
  async (request, response, next) => {
    const reply = contract(request);
    if (!reply) return next();
    send(response, await reply);
  };

const refusePath: RequestHandler = ({ baseUrl, path }) => {
  throw new Problem('noSuchPath', `there is nothing at ${baseUrl}${path}`);
};

const refuseMethod: RequestHandler = ({ method, baseUrl, path }) => {
  const headers = { Allow: 'GET, HEAD' };
  throw new Problem('noSuchMethod', `${method} is not allowed on ${baseUrl}${path}; use ${headers.Allow}`, {
    headers,
  });
};

/** Longer than this a probe does not wait. */
const READY_WITHIN = 2000;

/** However many ask at once, the store is asked once. */
const tellReady = (check: AppOptions['check']): RequestHandler => {
  let asking: Promise<string | undefined> | undefined;
  const ask = (): Promise<string | undefined> => {
    asking ??= Promise.race([check(), sleep(READY_WITHIN, 'timeout', { ref: false })]).finally(() => {
      asking = undefined;
    });
    return asking;
  };
  return async (_request, response) => {
    const reason = await ask();
    if (reason !== undefined)
      throw new Problem('storeUnavailable', reason, { headers: { 'Retry-After': '1' } });
    send(response, jsonReply(200, { status: 'ok' }));
  };
};

const tellAlive: RequestHandler = (_request, response) => send(response, jsonReply(200, { status: 'ok' }));

const replyToError = (log: Log): ErrorRequestHandler => {
  const logFailure = createFailureLog(log);
  return (error: unknown, request, response, _next) => {
    // A client that has hung up gets no answer, and is no failure of ours.
    if (request.destroyed && !request.complete) return;
    const problem = toProblem(error);
    if (problem.status >= 500) logFailure(problem, error, request);
    if (response.headersSent) response.destroy();
    else send(response, problemReply(problem));
  };
};

/** Strict, because what is there refers to its neighbours. */
const serveDocs = (document: Document): RequestHandler => {
  const router = express.Router({ strict: true, caseSensitive: true });
  for (const [path, serve] of createDocs(document)) router.route(path).get(serve).all(refuseMethod);
  return router;
};

/** The service as an Express app: listen with it, or mount it in another app under a path. */
export const createApp = ({ contract, log, check, document }: AppOptions): Express => {
  const app = express();
  app.disable('x-powered-by');
  app.use(serveContract(contract));
  app.route('/healthz').get(tellAlive).all(refuseMethod);
  app.route('/readyz').get(tellReady(check)).all(refuseMethod);
  if (document) app.use(serveDocs(document));
  app.use(refusePath);
  app.use(replyToError(log));
  return app;
};
