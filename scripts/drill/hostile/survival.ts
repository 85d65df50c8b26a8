import { DatabaseSync } from '@photostructure/sqlite';
import type { NewPlant } from '../../../src/plants/plant.ts';
import type { ServiceProcess } from '../../support/service.ts';
import { isAlive } from '../../support/usage.ts';
import { ask, HOST, open, writeCreate, writeRequest } from '../wire.ts';

/** In milliseconds. */
const TIMEOUT = 20_000;

const statusOf = async (url: string, request: Buffer | string): Promise<number | string> => {
  const socket = open(Number(new URL(url).port));
  const reply = await ask(socket, request, TIMEOUT).catch(() => undefined);
  socket.destroy();
  return reply?.status ?? 'nothing';
};

/** The level of warnings in pino. */
const WARNING = 40;

/** Checks that the service still runs, serves, and has logged neither warnings nor errors. */
export const findHarm = async ({
  pid,
  url,
  log,
}: Pick<ServiceProcess, 'pid' | 'url' | 'log'>): Promise<string[]> => {
  const health = await statusOf(url, writeRequest('GET /healthz HTTP/1.1', [HOST]));
  const created = await statusOf(url, writeCreate('{"id":9200000000000000000,"name":"The last plant"}'));
  const warnings = log.filter(({ level }) => Number(level) >= WARNING);
  return [
    ...(isAlive(pid) ? [] : [`process ${pid} is gone`]),
    ...(health === 200 ? [] : [`/healthz answers ${health}`]),
    ...(created === 200 ? [] : [`a good create answers ${created}`]),
    ...(warnings.length === 0
      ? []
      : [`${warnings.length} complaints in the log: ${JSON.stringify(warnings[0])}`]),
  ];
};

/** Returns the plants that a database file does not hold exactly. */
export const findAltered = (file: string, plants: readonly NewPlant[]): NewPlant[] => {
  const database = new DatabaseSync(file, { readOnly: true });
  const select = database.prepare('SELECT name, tag FROM plants WHERE id = ?');
  const altered = plants.filter(({ id, name, tag = null }) => {
    const row = select.get(id);
    return row?.name !== name || row.tag !== tag;
  });
  database.close();
  return altered;
};
