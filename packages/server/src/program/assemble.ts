import type { Authenticators } from '@trellis/contract';
import {
  type BearerAuthenticator,
  basePathsOf,
  bufferedBytesFor,
  compileContract,
  createRefusal,
  largestWholeBody,
  withBasePath,
} from '@trellis/contract/internal';
import { loadDocument } from '@trellis/openapi';
import type { Document } from '@trellis/openapi/internal/document';
import { createBackground } from '../background/run-tasks.ts';
import type { TakeLock } from '../background/task.ts';
import { createApp } from '../http/app.ts';
import { createCors } from '../http/cors.ts';
import { createMetrics, type StoreMetrics } from '../http/observe/metrics.ts';
import { createRequestObserver, type RequestObserverOptions } from '../http/observe/request-observer.ts';
import { createAuthenticators } from './authenticators.ts';
import type { Config } from './config.ts';
import type { AnyOptions } from './options.ts';
import { contractPathOf, type Product } from './product.ts';
import { createReadyCheck, type MaybeStore, storeProblem } from './store.ts';
import type { Membership } from './workers/member.ts';

/** The parts of an app, for `serve` and for `createService`. */
export interface Assembly<Opened extends MaybeStore>
  extends Pick<RequestObserverOptions, 'log' | 'handlerLog' | 'tracing'> {
  readonly document: Document;
  readonly options: AnyOptions<Opened>;
  readonly store: Opened;
  readonly settings: Pick<
    Config,
    'maxBodyBytes' | 'corsOrigins' | 'production' | 'showsContract' | 'trustProxy'
  >;
  /** Authenticates requests for every security scheme without an entry in `own`. */
  readonly tokens: BearerAuthenticator | undefined;
  readonly own: Authenticators;
  /** Gives the reason, in a word, why the store cannot serve now; `undefined` if it can. */
  readonly check: () => Promise<string | undefined>;
  readonly storeMetrics: StoreMetrics;
  /** The group of this process, if it has one: it renders the metrics, and lets one process at a time run the tasks. */
  readonly group?: Pick<Membership, 'renderMetrics' | 'takeTurn'> | undefined;
}

/** Loads the contract of a service, its operations under the path where they are served. */
export const loadContract = async (
  product: Pick<Product, 'contract'>,
  basePath: string | undefined,
): Promise<Document> => withBasePath(await loadDocument(contractPathOf(product)), basePath);

/** Makes the app of a service, and its tasks: they run while this process holds the lock of the store and its turn. */
export const assemble = async <Opened extends MaybeStore>({
  document,
  options: { name, background, errorBody, idempotency, use, routes, ...options },
  store,
  settings: { production, showsContract, corsOrigins, maxBodyBytes, trustProxy },
  tokens,
  own,
  ...parts
}: Assembly<Opened>) => {
  const { handlerLog, storeMetrics, group } = parts;
  const lock = store?.lock?.bind(store, `${name} background`);
  const locks: TakeLock[] = [group?.takeTurn, lock].flatMap((take) => take ?? []);
  const tasks = createBackground(background?.(store) ?? [], handlerLog, locks);
  const metrics = createMetrics(storeMetrics, tasks.collect);
  const handlers = options.handlers(store);
  const cors = createCors(document, corsOrigins);
  const warn = (details: object, message: string): void => handlerLog.warn(details, message);
  const observer = createRequestObserver({
    ...parts,
    metrics,
    refuse: createRefusal(document, errorBody, warn),
    crossOriginFields: cors?.fieldsFor,
    maxBufferedBytes: bufferedBytesFor(largestWholeBody(document, handlers, maxBodyBytes)),
  });
  const contract = await compileContract(document, handlers, {
    ...options,
    maxBodyBytes,
    authenticators: createAuthenticators(document, tokens, own),
    idempotency: idempotency === false ? false : idempotency?.(store),
    explain: storeProblem,
    ...(errorBody && { errorBody }),
    warn,
    checkReplies: !production,
    answerStubs: !production,
  });
  const app = createApp({
    trustProxy,
    use,
    routes: routes?.(store),
    observer,
    metrics: { render: group?.renderMetrics ?? metrics.render },
    contract,
    check: createReadyCheck(parts.check),
    basePaths: basePathsOf(document),
    document: showsContract ? document : undefined,
    cors,
  });
  return { app, observer, tasks, metrics };
};
