import { fileURLToPath } from 'node:url';
import type { Express } from 'express';
import { createBackground } from '../background/run-tasks.ts';
import type { BackgroundTask } from '../background/task.ts';
import type { UnknownBody } from '../contract/codec/findings.ts';
import type { AnyHandlers } from '../contract/handler.ts';
import type { IdempotencyStore } from '../contract/idempotency/store.ts';
import type { UnknownQuery } from '../contract/parameters/unknown-query.ts';
import type { ErrorBodyOf } from '../contract/reply/refusal/form.ts';
import type { Authenticators, BearerAuthenticator } from '../contract/security.ts';
import type { TakeLock } from '../engines/lock.ts';
import { createMetrics } from '../http/observe/metrics.ts';
import type { Log } from '../http/observe/request-log.ts';
import { createStoreMetrics } from '../http/observe/store-metrics.ts';
import { assemble, loadContract } from './assemble.ts';
import { createAuthenticators } from './authenticators.ts';

/** What a service in an app of somebody else is made of. */
export interface ServiceOptions {
  /** The file of the contract. */
  readonly contract: URL | string;
  readonly handlers: AnyHandlers;
  /** Who is let in: one authenticator for every security scheme of the contract, or one for each by its name. */
  readonly authenticators: BearerAuthenticator | Authenticators;
  /** For /readyz: the reason, in a word, why the service cannot serve now; `undefined` if it can. */
  readonly check?: () => Promise<string | undefined>;
  /** The owner's own error bodies, used wherever the contract allows them. */
  readonly errorBody?: ErrorBodyOf;
  /** Where replies to requests with an `Idempotency-Key` are kept: in memory if not given; `false` leaves the key to the handlers. */
  readonly idempotency?: IdempotencyStore | false;
  /** Tasks that run beside requests, until `stop` is called. */
  readonly background?: readonly BackgroundTask[];
  /** Waits for what one process holds at a time. The tasks run while it is held; in each process if not given. */
  readonly lock?: TakeLock;
  /** Gets a line for each request, and what handlers write; nothing is written if not given. */
  readonly log?: Log;
  /** Where the operations are, if not under the path of the contract's first server. */
  readonly basePath?: string;
  /** 102,400 if not given. */
  readonly maxBodyBytes?: number;
  /** `refuse` answers 400 to query parameters that the operation does not declare; they are ignored if not given. */
  readonly unknownQuery?: UnknownQuery;
  /** `refuse` answers 400 to members of a body that its schema does not declare; they are dropped if not given. */
  readonly unknownBody?: UnknownBody;
  /** The origins whose pages may call; none if not given. */
  readonly corsOrigins?: readonly string[];
  /** Whether there are /docs, /openapi.json and /openapi.yaml; they are if not given. */
  readonly docs?: boolean;
  /** Whether replies go unchecked and stubs answer 501; decided by NODE_ENV if not given. */
  readonly production?: boolean;
}

/** A service to be mounted. */
export interface Service {
  /** An Express app. */
  readonly app: Express;
  /** Ends the background tasks: call it before you close what they use. It settles within 10 s. */
  readonly stop: () => Promise<void>;
}

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };

const isBearer = (given: BearerAuthenticator | Authenticators): given is BearerAuthenticator =>
  'authenticate' in given && typeof given.authenticate === 'function';

/** Makes a service for an app of your own: `app.use('/store', service.app)`. */
export const createService = async ({
  contract,
  authenticators,
  check = async () => undefined,
  log = SILENT,
  basePath,
  maxBodyBytes = 102_400,
  corsOrigins = [],
  docs = true,
  production = process.env.NODE_ENV === 'production',
  background = [],
  lock,
  ...parts
}: ServiceOptions): Promise<Service> => {
  const document = await loadContract(contract instanceof URL ? fileURLToPath(contract) : contract, basePath);
  const tasks = createBackground(background, log, lock ? [lock] : []);
  const metrics = createMetrics(createStoreMetrics(), tasks.collect);
  const { app } = await assemble({
    ...parts,
    document,
    authenticators: isBearer(authenticators)
      ? createAuthenticators(document, authenticators)
      : authenticators,
    check,
    log,
    handlerLog: log,
    metrics,
    maxBodyBytes,
    corsOrigins,
    production,
    showsContract: docs,
  });
  tasks.start();
  return { app, stop: tasks.stop };
};
