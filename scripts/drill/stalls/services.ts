import { fileURLToPath } from 'node:url';
import { type ServiceProcess, startProcess } from '../../support/service.ts';
import { TSX } from '../measure/child.ts';
import type { Prober } from '../measure/prober.ts';
import { startPlantStore, TOKEN } from '../plant-store.ts';
import { type ServerName, writeRequest } from './case.ts';
import { CLASSES } from './classes.ts';
import { documentOf, operationsOf } from './document.ts';
import { exchange } from './exchange.ts';

const HARD = fileURLToPath(new URL('./server.ts', import.meta.url));
const WARM_UP_TIMEOUT = 60_000;

/** A service that requests are sent to. */
export interface Target {
  readonly service: Pick<ServiceProcess, 'pid' | 'end'>;
  readonly port: number;
}

const startOne = (folder: string, which: ServerName | 'idle'): Promise<ServiceProcess> =>
  which === 'hard'
    ? startProcess(folder, { NODE_OPTIONS: `--import=${TSX}` }, HARD)
    : startPlantStore(folder, `${which}.db`);

/** Sends one small request to each operation, because some code is compiled on first use. */
const warmUp = async (which: ServerName, port: number): Promise<void> => {
  const operations =
    which === 'default' ? [{ method: 'post', path: '/plants' }] : operationsOf(documentOf(CLASSES).paths);
  const types: Readonly<Record<string, string>> = {
    '/forms': 'application/x-www-form-urlencoded',
    '/parts': 'multipart/form-data; boundary=a',
  };
  for (const { method, path } of operations) {
    const target = path.replaceAll(/\{[^}]*\}/g, '1');
    const fields = [
      `Authorization: Bearer ${TOKEN}`,
      ...(method === 'post' ? [`Content-Type: ${types[path] ?? 'application/json'}`] : []),
    ];
    const body = method === 'post' ? '{"id":1,"name":"a"}' : undefined;
    await exchange(port, writeRequest(`${method.toUpperCase()} ${target}`, fields, body), WARM_UP_TIMEOUT);
  }
};

/** Starts the services of a drill: those that requests are sent to, and an idle one. */
export const startServices = async (folder: string, prober: Prober) => {
  const targets = new Map<ServerName, Target>();

  const start = async (which: ServerName): Promise<Target> => {
    const service = await startOne(folder, which);
    const port = Number(new URL(service.url).port);
    await warmUp(which, port);
    const target = { service, port };
    targets.set(which, target);
    await prober.watch(which, service.url);
    return target;
  };

  const idle = await startOne(folder, 'idle');
  await warmUp('default', Number(new URL(idle.url).port));
  await prober.watch('idle', idle.url);
  await start('default');
  await start('hard');

  return {
    target: async (which: ServerName): Promise<Target> => targets.get(which) ?? (await start(which)),
    /** Stops a service. It is started again when it is needed. */
    async stop(which: ServerName): Promise<void> {
      await targets.get(which)?.service.end('SIGKILL');
      targets.delete(which);
    },
    async end(): Promise<void> {
      await Promise.all(
        [idle, ...[...targets.values()].map(({ service }) => service)].map((each) => each.end('SIGKILL')),
      );
    },
  };
};

/** The services of a drill. */
export type Services = Awaited<ReturnType<typeof startServices>>;
