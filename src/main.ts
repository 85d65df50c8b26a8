import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { readConfig } from './config.ts';
import { createStoreMetrics } from './http/observe/store-metrics.ts';
import { openRepository } from './storage/open.ts';

/**
 * Keeps what V8 makes of the build in dist/.cache, for the next start. Node 20 cannot, and a folder in which nobody may
 * write stays as it is.
 */
const keepCompiled = (): void => {
  const isBuilt = import.meta.url.endsWith('.js');
  if (isBuilt && 'enableCompileCache' in module && typeof module.enableCompileCache === 'function')
    module.enableCompileCache(fileURLToPath(new URL('../.cache', import.meta.url)));
};

const start = async (): Promise<void> => {
  keepCompiled();
  const config = readConfig(process.env);
  const storeMetrics = createStoreMetrics();
  // Together: a SQLite file has a thread of its own, which starts while the modules of the service are loaded.
  const [plants, { startService }] = await Promise.all([
    openRepository(config.databaseUrl, config.databaseLimits, { observer: storeMetrics }),
    import('./service.ts'),
  ]);
  await startService(config, plants, storeMetrics);
};

/** One line for whoever has to mend it: the reason, not the way through the code. */
const refuseToStart = async (error: unknown): Promise<void> => {
  const reason = error instanceof Error ? error.message : String(error);
  if (process.stdout.isTTY) process.stderr.write(`Plant Store cannot start: ${reason}\n`);
  else (await import('./log.ts')).createLog('fatal', process.stdout).log.fatal(`cannot start: ${reason}`);
  process.exit(1); // whatever has been opened already does not keep it waiting
};

await start().catch(refuseToStart);
