import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import type { ContractTypes } from '@trellis/contract';
import { createStoreMetrics } from '../http/observe/metrics.ts';
import { type Config, readConfig } from './config.ts';
import { createLog, openLog, type ServiceLog } from './log/log.ts';
import type { AnyOptions, ServiceOptions, UnknownContract } from './options.ts';
import type { Product } from './product.ts';
import type { MaybeStore } from './store.ts';
import type { Membership } from './workers/member.ts';

/**
 * Caches the code that V8 has compiled in dist/.cache, for the next start. Does nothing on Node 20, which has no such
 * cache, or if the folder is not writable.
 */
const keepCompiled = (): void => {
  const isBuilt = import.meta.url.endsWith('.js');
  if (isBuilt && 'enableCompileCache' in module && typeof module.enableCompileCache === 'function')
    module.enableCompileCache(fileURLToPath(new URL('../.cache', import.meta.url)));
};

/**
 * Lets V8 free the bytes of bodies while it collects garbage. The thread that it has for that falls behind on a busy
 * machine: an upload of 2 GiB then took up to 159 MiB of memory, not 121.
 */
const freeBytesAtOnce = (): void => setFlagsFromString('--no-concurrent-array-buffer-sweeping');

/** Loads OpenTelemetry only if it is wanted. */
const traceIfWanted = async ({ tracing }: Config, { name, version }: Product, { log }: ServiceLog) =>
  tracing ? (await import('./tracing/tracing.ts')).startTracing({ name, version }, log) : undefined;

const serveAlone = async <Opened extends MaybeStore>(
  config: Config,
  options: AnyOptions<Opened>,
  group?: Membership,
): Promise<void> => {
  const log = await openLog(config);
  const tracing = await traceIfWanted(config, options, log);
  const storeMetrics = createStoreMetrics();
  const observer = { ...storeMetrics, followItem: tracing?.followItem };
  // In parallel: the SQLite thread starts while the modules of the service are loaded.
  const [store, { startService }] = await Promise.all([
    options.openStore(config, {
      observer,
      mayBeUnavailable: group?.isFirst === false,
    }),
    import('./service.ts'),
  ]);
  await startService(config, store, storeMetrics, options, { log, group, tracing });
};

const open = async <Opened extends MaybeStore>(options: AnyOptions<Opened>): Promise<void> => {
  keepCompiled();
  freeBytesAtOnce();
  const config = readConfig(process.env, options);
  if (config.workers === 1) return serveAlone(config, options);
  if ((await import('node:cluster')).default.isPrimary)
    return (await import('./workers/group.ts')).startGroup(config);
  return serveAlone(config, options, (await import('./workers/member.ts')).joinGroup());
};

/** Reports in one line why the service cannot start, without a stack, and ends the process. */
const failStart = (error: unknown, { name, title = name }: Product): void => {
  const reason = error instanceof Error ? error.message : error;
  if (process.stdout.isTTY || process.env.LOG_FORMAT === 'pretty')
    process.stderr.write(`${title} cannot start: ${reason}\n`);
  else createLog('fatal', process.stdout).log.fatal(`cannot start: ${reason}`);
  process.exit(1); // without waiting for anything that is open already
};

/**
 * Reads the configuration, opens the store and serves the contract until a signal stops the process.
 *
 * @example
 * await serve({ ...PRODUCT, openStore, handlers: createHandlers, errorBody });
 */
export const serve = <Opened extends MaybeStore, C extends ContractTypes = UnknownContract>(
  options: ServiceOptions<Opened, C>,
): Promise<void> => open(options).catch((error: unknown) => failStart(error, options));
