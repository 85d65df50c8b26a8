import { loadFirstToken } from '../auth/first-token.ts';
import { openAuthenticator } from '../auth/open.ts';
import { hasNoCredentials } from '../auth/settings.ts';
import { createContract } from '../contract/contract.ts';
import { loadDocument } from '../contract/document/load.ts';
import { operationsIn } from '../contract/document/path-item.ts';
import { asksForCredentials } from '../contract/document/security-scheme.ts';
import type { Handlers } from '../contract/handler.ts';
import { createRefusal } from '../contract/reply/refusal/general.ts';
import { withBasePath } from '../contract/routing/servers.ts';
import type { OpenOptions } from '../engines/options.ts';
import { createApp } from '../http/app.ts';
import { createCors } from '../http/cors.ts';
import { createMetrics } from '../http/observe/metrics.ts';
import { createRequestObserver } from '../http/observe/request-observer.ts';
import type { StoreMetrics } from '../http/observe/store-metrics.ts';
import { createHttpServer } from '../http/server.ts';
import { errorBody, PRODUCT } from '../product.ts';
import { createAuthenticators } from './authenticators.ts';
import {
  type Config,
  explainListenError,
  explainTokenError,
  FIRST_TOKEN_FILE,
  type StoreConfig,
} from './config.ts';
import { findMisspelt } from './misspelt-settings.ts';
import { openLog } from './open-log.ts';
import { CONTRACT_FILE } from './package-files.ts';
import { createReadyCheck, storeProblem } from './store-problem.ts';
import type { ServiceTracing } from './tracing/tracing.ts';
import type { Membership } from './workers/member.ts';

/** What the service needs to know of its store; handlers may need more. */
export interface Store {
  /** Gives the reason, in a word, why the store cannot serve now; `undefined` if it can. */
  readonly check: () => Promise<string | undefined>;
  readonly close: () => Promise<void>;
}

/** What a store is opened with, beside its settings. */
export type StoreOptions = Pick<OpenOptions, 'observer' | 'askOwner' | 'mayBeUnavailable'>;

/** What a project adds to the machine. */
export interface Parts<Opened extends Store> {
  /** Opens the store. Its group commit may report to the observer, for /metrics and traces. */
  readonly openStore: (config: StoreConfig, options: StoreOptions) => Promise<Opened>;
  readonly createHandlers: (store: Opened) => Handlers;
}

/** Loads the token that the service makes for itself when it needs one and none is configured. It has every scope. */
const findFirstToken = async ({ production }: Config) => {
  if (production)
    throw new Error(
      'ACCESS_TOKENS, ACCESS_TOKENS_FILE or JWT_… must be set when NODE_ENV is production, as in ACCESS_TOKENS=name:token',
    );
  const token = await loadFirstToken(FIRST_TOKEN_FILE).catch((error: unknown) => {
    throw explainTokenError(error);
  });
  return { name: 'first', token, scopes: ['*'], file: FIRST_TOKEN_FILE };
};

/** The signals that stop the service. */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** How long the process waits for its last log lines to be read, in milliseconds. */
const LAST_LINES = 1000;

/**
 * Serves the contract over a store: auth -> contract -> app -> server, until a signal stops it. With a group, it is one of
 * several processes that serve behind one port.
 */
export const startService = async <Opened extends Store>(
  config: Config,
  store: Opened,
  storeMetrics: StoreMetrics,
  { createHandlers }: Omit<Parts<Opened>, 'openStore'>,
  { group, tracing }: { readonly group?: Membership; readonly tracing?: ServiceTracing | undefined } = {},
): Promise<void> => {
  const { log, requests, flush, isPretty, inColour } = await openLog(config);
  const metrics = createMetrics(storeMetrics);
  const observer = createRequestObserver({ log: requests, metrics, tracing });
  tracing?.reportTo(log);
  const document = withBasePath(await loadDocument(CONTRACT_FILE), config.basePath);
  const isPublic = !asksForCredentials(document);
  const firstToken = hasNoCredentials(config) && !isPublic ? await findFirstToken(config) : undefined;
  const tokens = await openAuthenticator(
    firstToken ? { ...config, accessTokens: [firstToken] } : config,
    log,
    { isTolerant: group?.isFirst === false },
  );
  const contract = await createContract({
    document,
    handlers: createHandlers(store),
    authenticators: createAuthenticators(document, tokens),
    maxBodyBytes: config.maxBodyBytes,
    explain: storeProblem,
    errorBody,
    checkReplies: !config.production,
    answerStubs: !config.production,
  });
  if (!Object.values(document.paths ?? {}).some((item) => operationsIn(item).length > 0))
    log.warn('the contract has no operations, so nothing is served');
  let isStopping = false;
  const check = createReadyCheck(async () => (isStopping ? 'stopping' : store.check()));
  const cors = createCors(document, config.corsOrigins);
  const shown = config.showsContract ? document : undefined;
  const render = group?.renderMetrics ?? metrics.render;
  const app = createApp({ contract, observer, metrics: { render }, check, document: shown, cors });
  const { listen, stop: stopServing } = createHttpServer(
    app,
    observer,
    {},
    createRefusal(document, errorBody),
  );
  const address = await listen(config.port, config.host).catch((error: unknown) => {
    throw explainListenError(error, config);
  });

  const stop = async (signal?: NodeJS.Signals): Promise<void> => {
    if (isStopping) return;
    for (const each of SIGNALS) process.off(each, stop); // a second signal kills the process
    isStopping = true;
    if (!group) log.info({ signal }, 'stopping');
    await stopServing(undefined, config.drainMs, group);
    await store.close();
    tokens.close();
    await tracing?.stop();
    if (!group) log.info('stopped');
    flush();
    process.channel?.unref();
    setTimeout(() => process.exit(), LAST_LINES).unref(); // drops them if nobody reads
  };
  // Before the address is known to anybody.
  for (const each of SIGNALS) process.on(each, stop);
  group?.serve({ stop: async () => void stop(), collectMetrics: metrics.collect });
  if (group && !(await group.complete())) return;

  const { stdout } = process;
  if (stdout.isTTY && isPretty) {
    const { renderBanner } = await import('./banner.ts'); // makes an example, which a service elsewhere never needs
    stdout.write(
      renderBanner({
        title: document.info.title.trim().replaceAll(/\s+/g, ' ') || PRODUCT.title,
        address,
        store: config.databaseUrl,
        document,
        firstToken,
        isPublic,
        inColour,
        hasDocs: config.showsContract,
      }),
    );
  } else log.info({ address, ...(firstToken && { tokenFile: firstToken.file }) }, 'listening');
  for (const sentence of findMisspelt(process.env)) log.warn(sentence);
  flush();

  const reason = await store.check();
  if (reason !== undefined)
    log.warn({ reason }, 'the store does not serve; creates are answered 503 until it does');
};
