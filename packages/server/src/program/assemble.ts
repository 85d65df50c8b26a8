import { loadDocument } from '@trellis/openapi';
import type { Document } from 'openapi-backend';
import { bufferedBytesFor } from '../contract/body/budget.ts';
import { largestWholeBody } from '../contract/body/limits.ts';
import type { ReportDropped } from '../contract/codec/encode.ts';
import { type ContractOptions, createContract } from '../contract/contract.ts';
import type { AnyHandlers } from '../contract/handler.ts';
import type { ErrorBodyOf } from '../contract/reply/refusal/form.ts';
import { createRefusal } from '../contract/reply/refusal/refusals.ts';
import { withBasePath } from '../contract/routing/servers.ts';
import type { Authenticators } from '../contract/security.ts';
import { type AppOptions, createApp } from '../http/app.ts';
import { createCors } from '../http/cors.ts';
import type { Metrics } from '../http/observe/metrics.ts';
import type { Log } from '../http/observe/request-log.ts';
import { createRequestObserver, type RequestObserverOptions } from '../http/observe/request-observer.ts';
import { createReadyCheck, storeProblem } from './store-problem.ts';

/** What a service is made of, however it is run. */
export interface Assembly
  extends Pick<AppOptions, 'trustProxy' | 'use' | 'routes'>,
    Pick<ContractOptions, 'idempotency' | 'unknownQuery' | 'unknownBody'>,
    Pick<RequestObserverOptions, 'log' | 'handlerLog' | 'tracing'> {
  readonly document: Document;
  readonly handlers: AnyHandlers;
  readonly authenticators: Authenticators;
  /** Gives the reason, in a word, why the store cannot serve now; `undefined` if it can. */
  readonly check: () => Promise<string | undefined>;
  readonly metrics: Metrics;
  /** Gives what /metrics answers, if not the metrics of this process. */
  readonly renderMetrics?: Metrics['render'] | undefined;
  readonly errorBody?: ErrorBodyOf | undefined;
  readonly maxBodyBytes: number;
  readonly corsOrigins: readonly string[];
  readonly production: boolean;
  /** Whether the service shows its contract: /docs, /openapi.json and /openapi.yaml. */
  readonly showsContract: boolean;
}

/** Loads the contract of a service, its operations under the path where they are served. */
export const loadContract = async (file: string, basePath: string | undefined): Promise<Document> =>
  withBasePath(await loadDocument(file), basePath);

/** How many members are remembered, so that each is logged once. */
const MOST_DROPPED = 1000;

/** Logs each member that replies have and that is not sent, once for each schema. */
const createDropLog = (log: Pick<Log, 'warn'>): ReportDropped => {
  const known = new Set<string>();
  return (schema, member) => {
    const key = JSON.stringify([schema, member]);
    if (known.has(key)) return;
    if (known.size === MOST_DROPPED) known.clear();
    known.add(key);
    log.warn(
      { schema, member },
      'not sent: a reply has a member that its schema does not declare for replies',
    );
  };
};

/** Makes the app of a service: contract -> app. */
export const assemble = async ({ document, production, errorBody, ...parts }: Assembly) => {
  const { handlers, maxBodyBytes, metrics, renderMetrics = metrics.render } = parts;
  const observer = createRequestObserver({
    ...parts,
    maxBufferedBytes: bufferedBytesFor(largestWholeBody(document, handlers, maxBodyBytes)),
  });
  const contract = await createContract({
    ...parts,
    document,
    explain: storeProblem,
    ...(errorBody && { errorBody }),
    checkReplies: !production,
    reportDropped: production ? undefined : createDropLog(parts.handlerLog),
    answerStubs: !production,
  });
  const app = createApp({
    ...parts,
    observer,
    metrics: { render: renderMetrics },
    contract,
    check: createReadyCheck(parts.check),
    document: parts.showsContract ? document : undefined,
    cors: createCors(document, parts.corsOrigins),
  });
  return { app, observer, refuse: createRefusal(document, errorBody) };
};
