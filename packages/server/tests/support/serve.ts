import type { AnyHandlers } from '@trellis/contract/internal';
import { basePathsOf, type ContractRules, compileContract, createRefusal } from '@trellis/contract/internal';
import type { Document } from '@trellis/openapi/internal/document';
import { type AppOptions, createApp } from '../../src/http/app.ts';
import { createCors } from '../../src/http/cors.ts';
import type { Log } from '../../src/http/observe/request-log.ts';
import type { Tracing } from '../../src/http/observe/request-observer.ts';
import { createHttpServer, type Timeouts } from '../../src/http/server.ts';
import { newDocument } from './documents.ts';
import { createTestObserver } from './observer.ts';

/** Handlers of any document, by operationId. */
export type TestHandlers = AnyHandlers;

/** The service of a test: a document, its handlers, and other options. */
export interface ServeOptions
  extends Pick<
      ContractRules,
      | 'checkReplies'
      | 'answerStubs'
      | 'explain'
      | 'errorBody'
      | 'warn'
      | 'idempotency'
      | 'unknownQuery'
      | 'unknownBody'
    >,
    Partial<
      Pick<ContractRules, 'authenticators' | 'maxBodyBytes'> &
        Pick<AppOptions, 'check' | 'trustProxy' | 'use' | 'routes'>
    > {
  readonly document: Document;
  readonly handlers: TestHandlers;
  /** The origins whose pages may call. */
  readonly corsOrigins?: readonly string[];
  readonly timeouts?: Partial<Timeouts>;
  /** Gets every line of the log. Errors are kept in a list as well. */
  readonly log?: Partial<Log>;
  readonly tracing?: Tracing;
  /** How many bytes all requests together may keep in memory. */
  readonly maxBufferedBytes?: number;
}

/** Makes an app that serves a document, and keeps the errors that it logs in a list. */
export const createDocumentApp = async ({
  document,
  handlers,
  authenticators = {},
  maxBodyBytes = 102_400,
  check = async () => undefined,
  log,
  tracing,
  corsOrigins = [],
  trustProxy,
  use,
  routes,
  timeouts: _,
  maxBufferedBytes,
  ...options
}: ServeOptions) => {
  const logged: object[] = [];
  const cors = createCors(document, corsOrigins);
  const contract = await compileContract(document, handlers, { authenticators, maxBodyBytes, ...options });
  const { observer, metrics } = createTestObserver(
    { error: (details) => logged.push(details), ...log },
    {
      tracing,
      maxBufferedBytes,
      refuse: createRefusal(document, options.errorBody),
      crossOriginFields: cors?.fieldsFor,
    },
  );
  const app = createApp({
    contract,
    observer,
    metrics,
    check,
    document,
    basePaths: basePathsOf(document),
    cors,
    trustProxy,
    use,
    routes,
  });
  return { app, observer, metrics, logged };
};

/** Serves a document over real HTTP, on a port that the system chose. Close it when done. */
export const serveDocument = async (options: ServeOptions) => {
  const { app, observer, logged } = await createDocumentApp(options);
  const { server, listen, stop } = createHttpServer(app, observer, options.timeouts);
  const url = await listen(0, '127.0.0.1');
  /** Stops at once: the connections that the test's client keeps open get no time for another request. */
  const close = async () => {
    const stopped = stop(20);
    server.closeIdleConnections();
    await stopped;
  };
  return { url, port: Number(new URL(url).port), server, stop, logged, close };
};

/** Serves documents over real HTTP, and closes the services after each test. */
export const documentServers = () => {
  const closes: (() => Promise<void>)[] = [];
  afterEach(() => Promise.all(closes.splice(0).map((close) => close())));
  return async (options: ServeOptions) => {
    const service = await serveDocument(options);
    closes.push(service.close);
    return service;
  };
};

/** An operation, its path and its method: `GET /` if not given. */
interface ServedOperation {
  readonly path?: string;
  readonly method?: string;
  readonly operationId?: string;
  /** Other members of the document. */
  readonly document?: object;
  readonly [member: string]: unknown;
}

/** Serves one operation over real HTTP until the test is over. Keeps the lines of its log, also at the level error. */
export const operationServers = () => {
  const serve = documentServers();
  return async (
    { path = '/', method = 'get', operationId = 'serve', document, ...operation }: ServedOperation,
    handler: TestHandlers[string],
    options: Omit<Partial<ServeOptions>, 'document' | 'handlers'> = {},
  ) => {
    const lines: object[] = [];
    const keep = (line: object): void => void lines.push(line);
    const service = await serve({
      document: await newDocument({
        paths: { [path]: { [method]: { operationId, ...operation } } },
        ...document,
      }),
      handlers: { [operationId]: handler },
      log: { info: keep, error: keep },
      ...options,
    });
    return { ...service, url: service.url + path, lines };
  };
};
