import { loadDocument } from '@trellis/openapi';
import type { Document } from 'openapi-backend';
import { type ContractOptions, createContract } from '../contract/contract.ts';
import type { AnyHandlers } from '../contract/handler.ts';
import type { ErrorBodyOf } from '../contract/reply/refusal/form.ts';
import { createRefusal } from '../contract/reply/refusal/refusals.ts';
import { withBasePath } from '../contract/routing/servers.ts';
import type { Authenticators } from '../contract/security.ts';
import { type AppOptions, createApp } from '../http/app.ts';
import { createCors } from '../http/cors.ts';
import type { Metrics } from '../http/observe/metrics.ts';
import type { RequestObserver } from '../http/observe/request-observer.ts';
import { createReadyCheck, storeProblem } from './store-problem.ts';

/** What a service is made of, however it is run. */
export interface Assembly
  extends Pick<AppOptions, 'trustProxy' | 'use' | 'routes'>,
    Pick<ContractOptions, 'idempotency' | 'unknownQuery'> {
  readonly document: Document;
  readonly handlers: AnyHandlers;
  readonly authenticators: Authenticators;
  /** Gives the reason, in a word, why the store cannot serve now; `undefined` if it can. */
  readonly check: () => Promise<string | undefined>;
  readonly observer: RequestObserver;
  readonly metrics: Pick<Metrics, 'render'>;
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

/** Makes the app of a service: contract -> app. */
export const assemble = async ({ document, production, errorBody, ...parts }: Assembly) => {
  const contract = await createContract({
    ...parts,
    document,
    explain: storeProblem,
    ...(errorBody && { errorBody }),
    checkReplies: !production,
    answerStubs: !production,
  });
  const app = createApp({
    ...parts,
    contract,
    check: createReadyCheck(parts.check),
    document: parts.showsContract ? document : undefined,
    cors: createCors(document, parts.corsOrigins),
  });
  return { app, refuse: createRefusal(document, errorBody) };
};
