import type { ServiceProcess } from '../../support/service.ts';
import { startPlantStore, startSource } from '../plant-store.ts';
import { AUTHORIZATION, HOST, lengthOf, writeRequest } from '../wire.ts';
import type { ServerName } from './cases.ts';
import { exchange } from './exchange.ts';
import { GOOD_CLIENTS, type GoodClients, startGoodClients } from './good-clients.ts';
import { OPERATIONS } from './hard.ts';

const WARM_UP_TIMEOUT = 60_000;
const PLANTS = [{ path: '/plants', type: 'application/json' }];

/** Sends one small request to each operation, because some code is compiled on first use. */
const warmUp = async (name: ServerName | 'idle', port: number): Promise<void> => {
  const body = '{"id":1,"name":"a"}';
  for (const { path, type } of name === 'hard' ? OPERATIONS : PLANTS) {
    const fields = [HOST, AUTHORIZATION, `Content-Type: ${type}; boundary=a`, lengthOf(body)];
    const request = type
      ? writeRequest(`POST ${path} HTTP/1.1`, fields, body)
      : writeRequest(`GET ${path} HTTP/1.1`, [HOST]);
    await exchange(port, request, WARM_UP_TIMEOUT);
  }
};

/** A service that requests are sent to, and its good clients. */
export interface Target {
  readonly service: Pick<ServiceProcess, 'pid' | 'end'>;
  readonly port: number;
  readonly good: GoodClients;
}

const endAll = async ({ service, good }: Target): Promise<void> => {
  await Promise.all([good.end(), service.end('SIGKILL')]);
};

/** The services that are not the built one. */
const SOURCES: Readonly<Record<string, URL>> = {
  hard: new URL('./server.ts', import.meta.url),
  streams: new URL('./streams-server.ts', import.meta.url),
};

/** The services that requests are sent to, and one that stays idle. They start when they are needed. */
export const startServices = (folder: string) => {
  const targets = new Map<ServerName | 'idle', Target>();
  const start = async (name: ServerName | 'idle'): Promise<Target> => {
    const source = SOURCES[name];
    const service = source
      ? await startSource(folder, source, `${name}.db`)
      : await startPlantStore(folder, `${name}.db`);
    const port = Number(new URL(service.url).port);
    await warmUp(name, port);
    // The hard document has no plants to create.
    const good = await startGoodClients(service.url, name === 'hard' ? ['/healthz'] : GOOD_CLIENTS);
    const target = { service, port, good };
    targets.set(name, target);
    return target;
  };
  return {
    target: async (name: ServerName | 'idle'): Promise<Target> => targets.get(name) ?? (await start(name)),
    /** Stops a service. It is started again when it is needed. */
    async stop(name: ServerName): Promise<void> {
      const target = targets.get(name);
      targets.delete(name);
      if (target) await endAll(target);
    },
    async end(): Promise<void> {
      await Promise.all([...targets.values()].map(endAll));
    },
  };
};

/** The services of a drill. */
export type Services = ReturnType<typeof startServices>;
