import type { ContractTypes } from '@trellis/contract';
import type { BearerAuthenticator } from '@trellis/contract/internal';
import type { Express } from 'express';
import { createStoreMetrics } from '../http/observe/metrics.ts';
import { type Log, SILENT } from '../http/observe/request-log.ts';
import { assemble, loadContract } from './assemble.ts';
import { type Config, readConfig } from './config.ts';
import type { AnyOptions, ServiceOptions, UnknownContract } from './options.ts';
import type { MaybeStore } from './store.ts';

/** The settings of a service in another app. `serve` reads them from the environment, with the same defaults. */
export interface ServiceSettings
  extends Partial<
    Pick<
      Config,
      | 'databaseUrl'
      | 'databaseLimits'
      | 'maxBodyBytes'
      | 'basePath'
      | 'corsOrigins'
      | 'trustProxy'
      | 'production'
      | 'showsContract'
    >
  > {
  /** Checks the credentials of every security scheme that has no authenticator in the options. */
  readonly tokens?: BearerAuthenticator;
  /** Gets a line for each request, and what handlers write; nothing is written if not given. */
  readonly log?: Log;
}

/** A service to be mounted. */
export interface Service {
  /** An Express app. */
  readonly app: Express;
  /** Ends the background tasks, within 10 s, and closes the store. */
  readonly stop: () => Promise<void>;
}

/**
 * Makes a service for an app of your own, of the options that `serve` takes.
 *
 * @example
 * const service = await createService({ ...PRODUCT, openStore, handlers: createHandlers }, { tokens });
 * app.use('/store', service.app);
 */
export const createService = async <Opened extends MaybeStore, C extends ContractTypes = UnknownContract>(
  parts: ServiceOptions<Opened, C>,
  { tokens, log = SILENT, ...given }: ServiceSettings = {},
): Promise<Service> => {
  const options: AnyOptions<Opened> = parts;
  const { NODE_ENV } = process.env;
  const settings = { ...readConfig({ NODE_ENV }, options), ...given };
  const document = await loadContract(options, settings.basePath);
  const storeMetrics = createStoreMetrics();
  const store = await options.openStore(settings, { observer: storeMetrics });
  const { app, tasks } = await assemble({
    document,
    options,
    store,
    settings,
    tokens,
    own: options.authenticators?.(store) ?? {},
    check: async () => store?.check(),
    log,
    handlerLog: log,
    storeMetrics,
  });
  tasks.start();
  return {
    app,
    async stop() {
      await tasks.stop();
      await store?.close();
    },
  };
};
