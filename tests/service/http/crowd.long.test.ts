import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { TOKEN } from '../../../packages/server/tests/support/service.ts';
import { type ServiceProcess, startProcess } from '../../../scripts/support/service.ts';
import { ask, exchange, head, openMany } from '../../support/raw-http.ts';
import { temporaryFolders } from '../../support/temporary.ts';
import { postRequest } from '../support/raw-http.ts';

const makeFolder = temporaryFolders();
const HEALTH = head('GET /healthz', 'Connection: close');
const create = (id: number) => postRequest(`{"id":${id},"name":"Fern"}`);

const CROWD = 1000;
const mostWaiting = (): number => {
  try {
    return Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'));
  } catch {
    return 0; // not Linux
  }
};

let crowded: ServiceProcess | undefined;
afterAll(() => crowded?.end('SIGKILL'));

(mostWaiting() > CROWD ? test : test.skip)(
  'a crowd that connects at once is accepted, and every client is answered',
  async () => {
    const service = await startProcess(await makeFolder(), {
      ACCESS_TOKENS: `tests:${TOKEN}`,
      DATABASE_URL: 'memory:',
    });
    crowded = service;
    const port = Number(new URL(service.url).port);
    process.kill(service.pid, 'SIGSTOP'); // all wait in line
    const clients = await openMany(port, CROWD);
    let id = 0;
    let isOver = false;
    const statuses = new Set<string>();
    const goOnAsking = async (client: Socket): Promise<void> => {
      statuses.add((await ask(client, create(id++))).slice(0, 12));
      if (!isOver) void goOnAsking(client);
    };
    const first = clients.map(goOnAsking);
    process.kill(service.pid, 'SIGCONT');
    await Promise.all(first);
    const asked = performance.now();
    await exchange(port, HEALTH);
    const healthTook = performance.now() - asked;
    isOver = true;
    for (const client of clients) client.destroy();
    expect([...statuses].filter((status) => !/ (200|503)$/.test(status))).toEqual([]);
    expect(healthTook).toBeLessThan(2000);
  },
);
