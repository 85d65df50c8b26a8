import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { AUTHORIZED, TOKEN } from '../../../packages/server/tests/support/service.ts';
import { startPostgres } from '../../../scripts/support/postgres.ts';
import { type ServiceProcess, startProcess } from '../../../scripts/support/service.ts';
import { copyProject, ROOT } from '../../support/scratch.ts';
import { temporaryFolders } from '../../support/temporary.ts';
import { GET_PLANT, LIST_PLANTS } from './additions.ts';
import { addToContract, implement, readWalk } from './steps.ts';

const makeFolder = temporaryFolders();

/** All files of the repository, without build output. */
const PROJECT = readdirSync(ROOT).filter(
  (name) => !['.git', 'node_modules', 'dist', 'data', 'coverage'].includes(name),
);

/** The tests that look at openapi.yaml, at its handlers, or at the stores. */
const TESTS = ['layers', 'readme', 'handlers', 'storage/repository', 'service/main', 'service/contract'];

/** Runs a command in the copy. Throws with its output if it fails. */
const run = (...[command = '', ...args]: string[]): void => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${[command, ...args].join(' ')}\n${stdout}${stderr}`);
};

let folder: string;
beforeAll(async () => {
  folder = await makeFolder();
  await copyProject(folder, PROJECT);
}, 60_000);

const ask = async ({ url }: ServiceProcess, method: string, path: string, body?: string) => {
  const reply = await fetch(url + path, { method, headers: AUTHORIZED, ...(body && { body }) });
  return `${reply.status} ${await reply.text()}`;
};

/** Creates two plants, reads, lists and deletes them. */
const expectServed = async (databaseUrl: string): Promise<void> => {
  const settings = { ACCESS_TOKENS: TOKEN, DATABASE_URL: databaseUrl };
  const service = await startProcess(await makeFolder(), settings, join(folder, 'dist/bin/main.js'));
  const largest = '9223372036854775807';
  await ask(service, 'POST', '/plants', `{"id":${largest},"name":"Fern"}`);
  await ask(service, 'POST', '/plants', '{"id":-1,"name":"Moss","tag":"green"}');
  expect([
    await ask(service, 'GET', `/plants/${largest}`),
    await ask(service, 'GET', '/plants/2'),
    await ask(service, 'GET', '/plants'),
    await ask(service, 'DELETE', `/plants/${largest}`),
    await ask(service, 'DELETE', `/plants/${largest}`),
    await ask(service, 'GET', '/plants'),
  ]).toEqual([
    '200 {"name":"Fern"}',
    '404 {"error":40401,"message":"there is no plant 2"}',
    '200 [{"name":"Moss","tag":"green"},{"name":"Fern"}]',
    '204 ',
    `404 {"error":40401,"message":"there is no plant ${largest}"}`,
    '200 [{"name":"Moss","tag":"green"}]',
  ]);
  expect(await service.end()).toBe(0);
};

test('the walk of docs/how-to/add-an-operation.md, and two operations more, leave everything green with no other file touched', async () => {
  for (const addition of [readWalk(), LIST_PLANTS, GET_PLANT]) {
    await addToContract(folder, addition);
    run('npm', 'run', '--silent', 'generate');
    await implement(folder, addition);
  }
  run('npx', 'biome', 'format', '--write', 'src/store.ts');
  // `npm run check` without the parts that no step touches, and without the build that the tests below run anyway.
  run('npm', 'run', '--silent', 'lint');
  run('npx', 'tsc', '-p', 'tests');
  run('npm', 'run', '--silent', 'generate', '--', '--check');
  const tests = TESTS.map((name) => `tests/${name}`);
  expect(() => run('npm', 'test', '--silent', '--', '--silent', ...tests)).not.toThrow();
}, 600_000);

test.each([
  ['memory', async () => 'memory:'],
  ['SQLite', async () => 'sqlite:plants.db'],
])('%s has all of them', async (_name, database) => expectServed(await database()), 60_000);

test('PostgreSQL has all of them', async () => {
  const server = await startPostgres(await makeFolder());
  try {
    await expectServed(await server.createDatabase());
  } finally {
    await server.stop();
  }
}, 120_000);
