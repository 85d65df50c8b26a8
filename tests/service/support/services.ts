import { read, TOKEN } from '../../../packages/server/tests/support/service.ts';
import { type ServiceProcess, type Settings, startProcess } from '../../../scripts/support/service.ts';
import { temporaryFolders } from '../../support/temporary.ts';

/** Starts services on a database, each in a separate process, and ends them after the test. */
export const useServices = () => {
  const started: ServiceProcess[] = [];
  afterEach(() => Promise.all(started.splice(0).map((service) => service.end('SIGKILL'))));
  const makeFolder = temporaryFolders();
  return async (databaseUrl: string, more: Settings = {}): Promise<ServiceProcess> => {
    const settings = { DATABASE_URL: databaseUrl, ACCESS_TOKENS: TOKEN, ...more };
    const service = await startProcess(await makeFolder(), settings);
    started.push(service);
    return service;
  };
};

/** Requests the health of a service: /healthz or /readyz. */
export const ask = ({ url }: ServiceProcess, path: string) => read(fetch(`${url}${path}`));
