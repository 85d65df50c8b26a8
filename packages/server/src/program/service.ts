import type { Authenticators } from '@trellis/contract';
import { keyedOperations } from '@trellis/contract/internal';
import type { Document } from '@trellis/openapi/internal/document';
import { asksForCredentials } from '@trellis/openapi/internal/document';
import { loadFirstToken } from '../auth/first-token.ts';
import { openAuthenticator } from '../auth/open.ts';
import { hasNoCredentials } from '../auth/settings.ts';
import type { StoreMetrics } from '../http/observe/metrics.ts';
import { createHttpServer } from '../http/server.ts';
import { warmUp } from '../http/warm-up.ts';
import { assemble, loadContract } from './assemble.ts';
import { type Config, FIRST_TOKEN_FILE } from './config.ts';
import type { OpenLog } from './log/log.ts';
import type { AnyOptions } from './options.ts';
import type { Product } from './product.ts';
import { endProcess, onStopSignal } from './signals.ts';
import type { MaybeStore } from './store.ts';
import type { startTracing } from './tracing/tracing.ts';
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

/** Opens the authenticator of the settings. Makes the first token if the service needs one. */
const openTokens = async (
  config: Config,
  document: Document,
  own: Authenticators,
  { log: { log }, group }: ServiceParts,
) => {
  const needsTokens = asksForCredentials(document, Object.keys(own));
  const firstToken = hasNoCredentials(config) && needsTokens ? findFirstToken(config) : undefined;
  const settings = firstToken ? { ...config, accessTokens: [firstToken] } : config;
  const tokens = await openAuthenticator(settings, log, { isTolerant: group?.isFirst === false });
  return { tokens, firstToken };
};

/** A retry may reach another worker, which does not know the keys in the memory of this one. */
const checkIdempotency = (document: Document): void => {
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
  readonly tracing: ReturnType<typeof startTracing> | undefined;
}

/** Shows the address, and how to call the service: on a terminal a banner, elsewhere a line of the log. */
const announce = async (
  { name, title = name }: Product,
  { databaseUrl: store, showsContract: hasDocs }: Config,
  { log, isPretty, inColour }: OpenLog,
  address: string,
  document: Document,
  firstToken: ReturnType<typeof findFirstToken> | undefined,
): Promise<void> => {
  const { stdout } = process;
  if (!stdout.isTTY || !isPretty) {
    log.info({ address, ...(firstToken && { tokenFile: firstToken.file }) }, 'listening');
    return;
  }
  const { renderBanner } = await import('./banner.ts'); // makes an example, which a service elsewhere never needs
  const shown = document.info.title.trim().replaceAll(/\s+/g, ' ') || title;
  const isPublic = !asksForCredentials(document);
  stdout.write(
    renderBanner({ title: shown, address, store, document, firstToken, isPublic, inColour, hasDocs }),
  );
};

/**
 * Serves the contract over a store until a signal stops it: auth -> contract -> app -> server. With a group, this is
 * one of several processes that serve behind one port.
 */
export const startService = async <Opened extends MaybeStore>(
  config: Config,
  store: Opened,
  storeMetrics: StoreMetrics,
  options: AnyOptions<Opened>,
  parts: ServiceParts,
): Promise<void> => {
  const { log: opened, group, tracing } = parts;
  const { log, requests, flush } = opened;
  const document = await loadContract(options, config.basePath);
  if (group && options.idempotency === undefined) checkIdempotency(document);
  const own = options.authenticators?.(store) ?? {};
  const { tokens, firstToken } = await openTokens(config, document, own, parts);
  let isStopping = false;
  const { app, observer, tasks, metrics } = await assemble({
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
    storeMetrics,
    group,
  });
  const { server, listen, stop: stopServing } = createHttpServer(app, observer);
  await warmUp(server);
  const address = await listen(config.port, config.host).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : error;
    throw new Error(`this HOST and PORT cannot be used: ${reason}`, { cause: error });
  });
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    isStopping = true;
    if (!group) log.info({ signal }, 'stopping');
    // Tasks end at once: requests do not wait for them, and another process can continue their work.
    await Promise.all([stopServing(undefined, config.drainMs, group), tasks.stop()]);
    await store?.close();
    tokens.close();
    await tracing?.stop();
    if (!group) log.info('stopped');
    endProcess(flush);
  };
  onStopSignal(stop); // before the address is published
  tasks.start();
  group?.serve(metrics.collect);
  if (group?.isFirst === false) return; // the first has told
  await announce(options, config, opened, address, document, firstToken);
  flush();
  const reason = await store?.check();
  if (reason !== undefined)
    log.warn({ reason }, 'the store does not serve; requests that need it are answered 503 until it does');
};
