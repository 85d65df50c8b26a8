import { loadFirstToken } from './auth/first-token.ts';
import { openAuthenticator } from './auth/open.ts';
import { renderBanner } from './banner.ts';
import {
  type Config,
  explainListenError,
  explainTokenError,
  FIRST_TOKEN_FILE,
  letsInNobody,
} from './config.ts';
import { createContract } from './contract/contract.ts';
import { loadDocument } from './contract/document/load.ts';
import { storeProblem } from './handlers/store-problem.ts';
import { createHandlers } from './handlers.ts';
import { createApp } from './http/app.ts';
import { createMetrics } from './http/observe/metrics.ts';
import type { StoreMetrics } from './http/observe/store-metrics.ts';
import { createWatch } from './http/observe/watch.ts';
import { createHttpServer } from './http/server.ts';
import { createLog } from './log.ts';
import { CONTRACT_FILE } from './package-files.ts';
import type { PlantStore } from './plants/repository.ts';

/** For those who have set no token: one is made up and kept. */
const findFirstToken = async () => {
  const token = await loadFirstToken(FIRST_TOKEN_FILE).catch((error: unknown) => {
    throw explainTokenError(error);
  });
  return { name: 'first', token, file: FIRST_TOKEN_FILE };
};

/** What ends the service. */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** How long the last lines of the log wait for a reader, in milliseconds. */
const LAST_LINES = 1000;

/** Serves the contract over a store: auth -> contract -> app -> server, until a signal ends it. */
export const startService = async (
  config: Config,
  plants: PlantStore,
  storeMetrics: StoreMetrics,
): Promise<void> => {
  const { log, requests, flush } = createLog(config.logLevel, process.stdout);
  const metrics = createMetrics(storeMetrics);
  const watch = createWatch({ log: requests, metrics });
  const firstToken = letsInNobody(config) ? await findFirstToken() : undefined;
  const [document, bearerAuth] = await Promise.all([
    loadDocument(CONTRACT_FILE),
    openAuthenticator(firstToken ? { ...config, accessTokens: [firstToken] } : config, log),
  ]);
  const contract = await createContract({
    document,
    handlers: createHandlers(plants),
    authenticators: { bearerAuth },
    maxBodyBytes: config.maxBodyBytes,
    explain: storeProblem,
    checkReplies: !config.production,
    answerStubs: !config.production,
  });
  let isStopping = false;
  const check = async () => (isStopping ? 'stopping' : plants.check());
  const app = createApp({ contract, watch, metrics, check, document });
  const { listen, stop: stopServing } = createHttpServer(app, watch);
  const address = await listen(config.port, config.host).catch((error: unknown) => {
    throw explainListenError(error, config);
  });

  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    for (const each of SIGNALS) process.off(each, stop); // the next one ends the process the hard way
    isStopping = true;
    log.info({ signal }, 'stopping');
    await stopServing(undefined, config.drainMs);
    await plants.close();
    bearerAuth.close();
    log.info('stopped');
    flush();
    setTimeout(() => process.exit(), LAST_LINES).unref(); // if nobody reads them, they are not written
  };
  // Before anybody is told where we are.
  for (const each of SIGNALS) process.on(each, stop);

  const { stdout } = process;
  if (stdout.isTTY)
    stdout.write(
      renderBanner({ address, store: config.databaseUrl, firstToken, inColour: stdout.hasColors() }),
    );
  else log.info({ address, ...(firstToken && { tokenFile: firstToken.file }) }, 'listening');
  flush();

  const reason = await plants.check();
  if (reason !== undefined)
    log.warn({ reason }, 'the store does not serve; creates are answered 503 until it does');
};
