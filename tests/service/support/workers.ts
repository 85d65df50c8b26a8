import { TOKEN } from '../../../packages/server/tests/support/service.ts';
import { type ServiceProcess, type Settings, startProcess } from '../../../scripts/support/service.ts';
import { childrenOf } from '../../../scripts/support/usage.ts';
import { until } from '../../support/postgres/conditions.ts';
import { temporaryFolders } from '../../support/temporary.ts';

/** The processes that serve for a service. */
export const workersOf = ({ pid }: { pid: number }): number[] => childrenOf(pid);

/** Waits until three workers answer: one connection after the other reaches all of them. */
export const untilComplete = (service: Pick<ServiceProcess, 'url' | 'pid'>): Promise<true> => {
  const seen = new Set<string>();
  return until(
    'three workers have answered',
    async () => {
      const answer = await fetch(`${service.url}/readyz`, { headers: { connection: 'close' } }).catch(
        () => {},
      ); // refused
      seen.add(answer?.headers.get('x-request-id')?.split('-')[0] ?? ''); // each process has its own prefix
      seen.delete('');
      return (seen.size >= 3 && workersOf(service).length === 3) || undefined;
    },
    30_000,
  );
};

/** Starts services of three workers, each in a folder, and ends them when the test is over. */
export const useWorkers = () => {
  const makeFolder = temporaryFolders();
  const started: ServiceProcess[] = [];
  afterEach(() => Promise.all(started.splice(0).map((service) => service.end('SIGKILL'))));
  return async (settings: Settings = {}, cwd?: string) => {
    const folder = cwd ?? (await makeFolder());
    const service = await startProcess(folder, { WORKERS: '3', ACCESS_TOKENS: TOKEN, ...settings });
    started.push(service);
    await untilComplete(service);
    return { ...service, folder };
  };
};
