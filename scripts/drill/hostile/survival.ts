import { DatabaseSync } from '@photostructure/sqlite';
import type { NewPlant } from '../../../src/plants/plant.ts';
import type { ServiceProcess } from '../../support/service.ts';
import { TOKEN } from '../plant-store.ts';

const statusOf = (url: string, init: RequestInit = {}): Promise<number | string> =>
  fetch(url, init).then(
    async (reply) => {
      await reply.text();
      return reply.status;
    },
    () => 'nothing',
  );

/** The level of warnings in pino. */
const WARNING = 40;

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Checks that the service still runs, serves, and has logged neither warnings nor errors. */
export const findHarm = async ({
  pid,
  url,
  log,
}: Pick<ServiceProcess, 'pid' | 'url' | 'log'>): Promise<string[]> => {
  const harm: string[] = [];
  if (!isAlive(pid)) harm.push(`process ${pid} is gone`);
  const health = await statusOf(`${url}/healthz`);
  if (health !== 200) harm.push(`/healthz answers ${health}`);
  const created = await statusOf(`${url}/plants`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: '{"id":9200000000000000000,"name":"The last plant"}',
  });
  if (created !== 200) harm.push(`a good create answers ${created}`);
  const warnings = log.filter(({ level }) => Number(level) >= WARNING);
  if (warnings.length > 0)
    harm.push(`${warnings.length} complaints in the log: ${JSON.stringify(warnings[0])}`);
  return harm;
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
