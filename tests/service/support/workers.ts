import { TOKEN } from '../../../packages/server/tests/support/service.ts';
import { type ServiceProcess, type Settings, startProcess } from '../../../scripts/support/service.ts';
import * as usage from '../../../scripts/support/usage.ts';
import { temporaryFolders } from '../../support/temporary.ts';

/** The processes that serve for a service. */
export const workersOf = ({ pid }: { pid: number }): number[] => usage.workersOf(pid);

/** Starts services of three workers, each in a folder, and ends them when the test is over. */
export const useWorkers = () => {
  const makeFolder = temporaryFolders();
  const started: ServiceProcess[] = [];
  afterEach(() => Promise.all(started.splice(0).map((service) => service.end('SIGKILL'))));
  return async (settings: Settings = {}, cwd?: string) => {
    const folder = cwd ?? (await makeFolder());
    const service = await startProcess(folder, { WORKERS: '3', ACCESS_TOKENS: TOKEN, ...settings });
    started.push(service);
    return { ...service, folder };
  };
};
