import { keyedOperations } from '@trellis/contract/internal';
import { asksForCredentials } from '@trellis/openapi/internal/document';
import { loadFirstToken } from '../auth/first-token.ts';
import { openAuthenticator } from '../auth/open.ts';
import { hasNoCredentials } from '../auth/settings.ts';
import { createBackground } from '../background/run-tasks.ts';
import { createMetrics } from '../http/observe/metrics.ts';
import type { StoreMetrics } from '../http/observe/store-metrics.ts';
import { createHttpServer } from '../http/server.ts';
import { assemble, loadContract } from './assemble.ts';
import { type Config, FIRST_TOKEN_FILE } from './config.ts';
import type { OpenLog } from './log/log.ts';
import type { AnyOptions } from './options.ts';
import type { MaybeStore } from './store/store.ts';
import type { ServiceTracing } from './tracing/tracing.ts';
import { warmUp } from './warm-up.ts';
import type { Membership } from './workers/member.ts';

/** Loads the token that the service makes for itself when it needs one and none is configured. It has every scope. */
const findFirstToken = ({ production }: Config) => {
  if (production)
    throw new Error(
      'ACCESS_TOKENS, ACCESS_TOKENS_FILE or JWT_… must be set when NODE_ENV is production, as in ACCESS_TOKENS=name:token',
    );
  const token = loadFirstToken(FIRST_TOKEN_FILE);
  return { name: 'first', token, scopes: ['*'], file: FIRST_TOKEN_FILE };
};

/** A retry may reach another worker, which does not know the keys in the memory of this one. */
const refuseKeysApart = (document: unknown): void => {
  const [first] = keyedOperations(document);
  if (first !== undefined)
    throw new Error(
      `WORKERS must be 1, or serve() needs a store in \`idempotency\` that the workers share: ${first} declares Idempotency-Key`,
    );
};

/** The parts of a service that are opened before the store. */
interface ServiceParts {
  readonly log: OpenLog;
  readonly group: Membership | undefined;
  readonly tracing: ServiceTracing | undefined;
}

/** The signals that stop the service. */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** How long the process waits for its last log lines to be read, in milliseconds. */
const LAST_LINES = 1000;

/**
 * Serves the contract over a store until a signal stops it: auth -> contract -> app -> server. With a group, this is
 * one of several processes that serve behind one port.
 */
export const startService = async <Opened extends MaybeStore>(
  config: Config,
  store: Opened,
  storeMetrics: StoreMetrics,
  options: AnyOptions<Opened>,
  { log: { log, requests, flush, isPretty, inColour }, group, tracing }: ServiceParts,
): Promise<void> => {
  const { name, title = name, idempotency } = options;
  const locks = [group?.takeTurn, store?.lock?.bind(store, `${name} background`)].flatMap(
    (take) => take ?? [],
  );
  const tasks = createBackground(options.background?.(store) ?? [], log, locks);
  const metrics = createMetrics(storeMetrics, tasks.collect);
  const document = await loadContract(options, config.basePath);
  if (group && idempotency === undefined) refuseKeysApart(document);
  const isPublic = !asksForCredentials(document);
  const own = options.authenticators?.(store) ?? {};
  const needsTokens = asksForCredentials(document, Object.keys(own));
  const firstToken = hasNoCredentials(config) && needsTokens ? findFirstToken(config) : undefined;
  const tokens = await openAuthenticator(
    firstToken ? { ...config, accessTokens: [firstToken] } : config,
    log,
    { isTolerant: group?.isFirst === false },
  );
  let isStopping = false;
  const { app, observer, refuse } = await assemble({
    document,
    options,
    store,
    settings: config,
    tokens,
    own,
    check: async () => (isStopping ? 'stopping' : store?.check()),
    log: requests,
    handlerLog: log,
    tracing,
    metrics,
    renderMetrics: group?.renderMetrics,
  });
  const { server, listen, stop: stopServing } = createHttpServer(app, observer, {}, refuse);
  await warmUp(server);
  const address = await listen(config.port, config.host).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : error;
    throw new Error(`this HOST and PORT cannot be used: ${reason}`, { cause: error });
  });

  const stop = async (signal?: NodeJS.Signals): Promise<void> => {
    if (isStopping) return;
    for (const each of SIGNALS) process.off(each, stop); // a second signal kills the process
    isStopping = true;
    if (!group) log.info({ signal }, 'stopping');
    // Tasks end at once: requests do not wait for them, and another process can continue their work.
    await Promise.all([stopServing(undefined, config.drainMs, group), tasks.stop()]);
    await store?.close();
    tokens.close();
    await tracing?.stop();
    if (!group) log.info('stopped');
    flush();
    process.channel?.unref();
    setTimeout(() => process.exit(), LAST_LINES).unref(); // drops unread log lines
  };
  // Before the address is published.
  for (const each of SIGNALS) process.on(each, stop);
  tasks.start();
  group?.serve(metrics.collect);
  if (group?.isFirst === false) return; // the first has told

  const { stdout } = process;
  if (stdout.isTTY && isPretty) {
    const { renderBanner } = await import('./banner.ts'); // makes an example, which a service elsewhere never needs
    stdout.write(
      renderBanner({
        title: document.info.title.trim().replaceAll(/\s+/g, ' ') || title,
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
  flush();

  const reason = await store?.check();
  if (reason !== undefined)
    log.warn({ reason }, 'the store does not serve; creates are answered 503 until it does');
};
