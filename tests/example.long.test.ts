import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { environmentElsewhere } from '../packages/create/src/npm.ts';
import { linkPackages } from '../scripts/pack/link.ts';
import { packPackages } from '../scripts/pack/pack.ts';
import { startProcess } from '../scripts/support/service.ts';
import { usePostgres } from './support/postgres/postgres.ts';
import { ROOT } from './support/scratch.ts';
import { temporaryFolders } from './support/temporary.ts';

import.meta.jest.setTimeout(600_000);

const makeFolder = temporaryFolders();
const postgres = usePostgres();
let project = '';

const run = (cwd: string, settings: NodeJS.ProcessEnv, command: string, ...args: string[]): string =>
  execFileSync(command, args, {
    cwd,
    env: { ...environmentElsewhere(), ...settings },
    encoding: 'utf8',
    stdio: 'pipe',
  });

beforeAll(async () => {
  project = join(await makeFolder(), 'museum');
  run(ROOT, {}, 'npm', 'run', '--silent', 'example', '--', 'museum', project);
  linkPackages(project, await packPackages());
});

test('the example fits its contract, and passes its tests and its contract tests', () => {
  expect(run(project, {}, 'npm', 'run', '--silent', 'check')).toContain('the types fit');
  expect(run(project, {}, 'npm', 'test')).toMatch(/pass [1-9]\d*$/m);
});

test('the example passes its tests on PostgreSQL', async () => {
  const settings = { TEST_DATABASE_URL: await postgres.createDatabase() };
  const args = ['--import', 'tsx', '--test', 'tests/museum.test.ts', 'tests/store.test.ts'];
  expect(run(project, settings, 'node', ...args)).toMatch(/pass [1-9]\d*$/m);
});

test('tickets that were sold or refunded are so after kill -9, and no seat is sold twice', async () => {
  run(project, {}, 'npm', 'run', '--silent', 'build');
  const folder = await makeFolder();
  const settings = { ACCESS_TOKENS: 'ann:s3cret:staff', DATABASE_URL: 'sqlite:museum.db', BASE_PATH: '/' };
  const start = () => startProcess(folder, settings, join(project, 'dist/bin/main.js'));
  const headers = { authorization: `Basic ${btoa('ann:s3cret')}`, 'content-type': 'application/json' };
  const date = '2031-05-01';
  let service = await start();
  const post = (path: string, body: object) =>
    fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const created = await post('/special-events', {
    ...{ name: 'Tea', location: 'Tearoom', eventDescription: 'Tea with historical figures', dates: [date] },
    price: 60,
  });
  const { eventId } = Object(await created.json());
  const buy = () => post('/tickets', { ticketType: 'event', eventId, ticketDate: date });

  const sold: string[] = [];
  const refunded: string[] = [];
  const refund = async (id = '') => {
    const reply = await post(`/tickets/${id}/refund`, {});
    if (reply.status === 200) refunded.push(id);
  };
  for (let round = 0; round < 4; round += 1) {
    const refunding = sold.slice(-2).map(refund);
    const buying = Array.from({ length: 8 }, async () => {
      const reply = await buy();
      if (reply.status === 201) sold.push(Object(await reply.json()).ticketId);
    });
    await Promise.race(buying); // one has its reply
    await service.end('SIGKILL');
    await Promise.allSettled([...buying, ...refunding]);
    service = await start();
  }
  while ((await buy()).status === 201);
  for (const id of sold) {
    const { state } = Object(await (await fetch(`${service.url}/tickets/${id}`, { headers })).json());
    expect(refunded.includes(id) ? ['refunded'] : ['sold', 'refunded']).toContain(state);
  }
  await service.end();
  const database = new DatabaseSync(join(folder, 'museum.db'));
  const seats = database.prepare("SELECT count(*) AS taken FROM ticket WHERE state <> 'refunded'").get();
  database.close();
  expect(seats).toEqual({ taken: 20 });
});
