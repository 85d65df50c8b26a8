import { pino } from 'pino';
import { loadFirstToken } from './auth/first-token.ts';
import { openAuthenticator } from './auth/open.ts';
import { renderBanner } from './banner.ts';
import {
  explainListenError,
  explainTokenError,
  FIRST_TOKEN_FILE,
  letsInNobody,
  readConfig,
} from './config.ts';
import { createContract } from './contract/contract.ts';
import { loadDocument } from './contract/document.ts';
import { storeProblem } from './handlers/store-problem.ts';
import { createHandlers } from './handlers.ts';
import { createApp } from './http/app.ts';
import { createMetrics } from './http/metrics.ts';
import { createHttpServer } from './http/server.ts';
import { createWatch } from './http/watch.ts';
import { createLog } from './log.ts';
import { CONTRACT_FILE } from './package-files.ts';
import { openRepository } from './storage/open.ts';

const start = async () => {
  const config = readConfig(process.env);
  const { log, requests, flush } = createLog(config.logLevel, process.stdout);
  const metrics = createMetrics();
  const watch = createWatch({ log: requests, metrics });

  const findFirstToken = async () => {
    const token = await loadFirstToken(FIRST_TOKEN_FILE).catch((error: unknown) => {
      throw explainTokenError(error);
    });
    return { name: 'first', token, file: FIRST_TOKEN_FILE };
  };
  const firstToken = letsInNobody(config) ? await findFirstToken() : undefined;
  // Together: a SQLite file has a thread of its own, which takes as long to start as the contract takes to read.
  const [plants, document, bearerAuth] = await Promise.all([
    openRepository(config.databaseUrl, config.databaseLimits, { observer: metrics.store }),
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
  const app = createApp({ contract, watch, metrics, check: plants.check, document });
  const { listen, stop: stopServing } = createHttpServer(app, watch);
  const address = await listen(config.port, config.host).catch((error: unknown) => {
    throw explainListenError(error, config);
  });

  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    log.info({ signal }, 'stopping');
    await stopServing();
    await plants.close();
    bearerAuth.close();
    log.info('stopped');
    flush();
  };
  // Before anybody is told where we are. Once: a second signal ends the process the hard way.
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);

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

/** One line for whoever has to mend it: the reason, not the way through the code. */
const refuseToStart = (error: unknown): void => {
  const reason = error instanceof Error ? error.message : String(error);
  if (process.stdout.isTTY) process.stderr.write(`Plant Store cannot start: ${reason}\n`);
  else pino({ base: null }).fatal(`cannot start: ${reason}`);
  process.exit(1); // whatever has been opened already does not keep it waiting
};

await start().catch(refuseToStart);
