import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdir, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { REFUSED, SERVED } from '../../../packages/server/tests/auth/jwt-service.ts';
import { type ServiceProcess, startProcess } from '../../../scripts/support/service.ts';
import { temporaryFolders } from '../../support/temporary.ts';
import { runProcess } from '../support/process.ts';
import { send } from './send.ts';

const makeFolder = temporaryFolders();

const running: ServiceProcess[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.end('SIGKILL')));
});

/** The built service, with a token file of these lines. */
const startWith = async (text: string, settings: Readonly<Record<string, string>> = {}) => {
  const cwd = await makeFolder();
  const file = join(cwd, 'tokens');
  await writeFile(file, text);
  const service = await startProcess(cwd, {
    ACCESS_TOKENS_FILE: file,
    DATABASE_URL: 'memory:',
    NODE_ENV: 'production',
    ...settings,
  });
  running.push(service);
  return { cwd, file, service };
};

/** Sends a token until the reply has this status, and gives the milliseconds that it took. */
const untilAnswered = async (service: ServiceProcess, token: string, status: number): Promise<number> => {
  const since = performance.now();
  while ((await send(service, token)).status !== status) {
    if (performance.now() - since > 10_000) throw new Error(`no ${status} within ten seconds`);
    await sleep(5);
  }
  return performance.now() - since;
};

/** Replaces a file as careful editors do: the new one is whole before it has the name. */
const replace = async (file: string, text: string): Promise<void> => {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
};

const told = ({ log }: ServiceProcess) =>
  log.flatMap(({ msg, line, reason }) =>
    /token file/.test(String(msg))
      ? [[msg, line ?? reason].filter((part) => part !== undefined).join(' / ')]
      : [],
  );

test('tokens are read from a file, in the clear or as hashes, with comments and blank lines', async () => {
  const { service } = await startWith(
    `\uFEFF# who may create plants\r\n\r\nalice:s3cret\r\n  bob : sha256:${hash('sha256', 'h4shed').toUpperCase()}\nb4re\nsha256:${hash('sha256', 'nameless')}`,
  );
  const statuses = new Map<string, number>();
  for (const token of ['s3cret', 'h4shed', 'b4re', 'nameless', hash('sha256', 'h4shed'), 'alice', 'sha256'])
    statuses.set(token, (await send(service, token)).status);
  expect([...statuses.values()]).toEqual([200, 200, 200, 200, 401, 401, 401]);
});

test.each([
  ['written over', writeFile],
  ['replaced by another', replace],
])(
  'a token that is taken out of a file that is %s stops working within seconds, with no restart',
  async (_how, write) => {
    const { file, service } = await startWith('alice:abc\nbob:def\n');
    expect(await send(service, 'abc')).toMatchObject(SERVED);
    await write(file, 'bob:def\ncarol:ghi\n');
    expect(await untilAnswered(service, 'abc', 401)).toBeLessThan(4000);
    expect(await send(service, 'def')).toMatchObject(SERVED);
    expect(await send(service, 'ghi')).toMatchObject(SERVED);
    while (told(service).length === 0) await sleep(20); // changes in quick succession are reported together
    await write(file, 'alice:abc\n');
    expect(await untilAnswered(service, 'abc', 200)).toBeLessThan(4000);
    expect(await untilAnswered(service, 'def', 401)).toBeLessThan(4000);
    expect(await send(service, 'ghi')).toMatchObject(REFUSED);
    await service.end();
    expect(told(service)).toEqual(['the token file is read', 'the token file is read']);
  },
);

test('a change of the same length at the same time of change is seen', async () => {
  const { file, service } = await startWith('alice:abc\n');
  const { atime, mtime } = await stat(file);
  await writeFile(file, 'alice:xyz\n');
  await utimes(file, atime, mtime);
  expect(await untilAnswered(service, 'abc', 401)).toBeLessThan(4000);
});

test('a folder behind a link that is swapped, as Kubernetes does, is followed', async () => {
  const { cwd } = await startWith('other:unused\n');
  for (const [folder, text] of Object.entries({ one: 'alice:abc\n', two: 'alice:xyz\n' })) {
    await mkdir(join(cwd, folder));
    await writeFile(join(cwd, folder, 'tokens'), text);
  }
  await symlink('one', join(cwd, 'current'));
  const service = await startProcess(cwd, { ACCESS_TOKENS_FILE: 'current/tokens', DATABASE_URL: 'memory:' });
  running.push(service);
  expect(await send(service, 'abc')).toMatchObject(SERVED);
  await symlink('two', join(cwd, 'next'));
  await rename(join(cwd, 'next'), join(cwd, 'current'));
  expect(await untilAnswered(service, 'abc', 401)).toBeLessThan(4000);
  expect(await send(service, 'xyz')).toMatchObject(SERVED);
});

test('a mistake in a later edit skips its line, revokes removed tokens, and is reported without the token', async () => {
  const { file, service } = await startWith('alice:abc\nbob:def\n');
  await writeFile(file, 'bob:def\ncarol:se cret\ndave:def\nerin:sha256:1234\n');
  expect(await untilAnswered(service, 'abc', 401)).toBeLessThan(4000);
  expect(await send(service, 'def')).toMatchObject(SERVED);
  await service.end();
  expect(told(service)).toEqual([
    'the token file is read',
    expect.stringMatching(/^a line of the token file is left out: it is no bearer token; .* \/ 2$/),
    'a line of the token file is left out: it has the token of another entry; give each name its own / 3',
    expect.stringMatching(/^a line of the token file is left out: it is no bearer token; .* \/ 4$/),
  ]);
  expect(JSON.stringify(service.log)).not.toMatch(/abc|"def|se cret|1234/);
});

test('while the file is missing its tokens get 503, and other tokens work', async () => {
  const { file, service } = await startWith('alice:abc\n', { ACCESS_TOKENS: 'ops:xyz' });
  await rm(file);
  expect(await untilAnswered(service, 'abc', 503)).toBeLessThan(4000);
  expect(await send(service, 'xyz')).toMatchObject(SERVED);
  await writeFile(file, 'alice:abc\n');
  expect(await untilAnswered(service, 'abc', 200)).toBeLessThan(4000);
  await service.end();
  expect(told(service)).toEqual([
    'the token file cannot be read; its tokens are answered 503 / ENOENT',
    'the token file is read',
  ]);
});

test('a file that is missing or half written during an edit revokes nothing', async () => {
  const { file, service } = await startWith('alice:abc\n');
  for (let round = 0; round < 4; round += 1) {
    const since = performance.now();
    if (round % 2 === 0) await rm(file);
    else await writeFile(file, 'ali');
    await sleep(80);
    await writeFile(file, 'alice:abc\n');
    const isMoment = performance.now() - since < 500; // not on a busy machine
    if (isMoment)
      for (let nth = 0; nth < 10; nth += 1) {
        expect(await send(service, 'abc')).toMatchObject(SERVED);
        await sleep(250);
      }
  }
});

test('a service without a file descriptor for the file answers 503 to its tokens, and calls none invalid', async () => {
  const { file, service } = await startWith('alice:abc\nbob:def\n', { ACCESS_TOKENS: 'ops:xyz' });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const sendOnOne = (
    token: string,
  ): Promise<{ status: number | undefined; retryAfter: string | undefined }> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      request(`${service.url}/plants`, { method: 'POST', agent, headers }, (response) => {
        const { statusCode: status, headers } = response;
        response.resume().on('end', () => resolve({ status, retryAfter: headers['retry-after'] }));
      })
        .on('error', reject)
        .end('{"id":41,"name":"Fern"}');
    });
  const statusOf = async (token: string) => (await sendOnOne(token)).status;
  const until = async (token: string, status: number) => {
    const since = performance.now();
    while ((await statusOf(token)) !== status && performance.now() - since < 10_000) await sleep(5);
    return performance.now() - since;
  };
  const limit = (files: number) =>
    execFileSync('prlimit', ['--pid', `${service.pid}`, `--nofile=${files}:4096`]);
  expect(await statusOf('abc')).toBe(200);
  limit(0);
  await writeFile(file, 'bob:def\n');
  expect(await until('abc', 503)).toBeLessThan(4000);
  expect(await sendOnOne('def')).toEqual({ status: 503, retryAfter: '1' });
  expect(await statusOf('unknown')).toBe(503);
  expect(await statusOf('xyz')).toBe(200);
  limit(1024);
  const since = performance.now();
  const statuses = new Set<number | undefined>();
  while (!statuses.has(401) && performance.now() - since < 10_000) statuses.add(await statusOf('abc'));
  expect([...statuses]).not.toContain(200); // not accepted at any moment
  expect(performance.now() - since).toBeLessThan(4000);
  expect(await statusOf('def')).toBe(200);
  agent.destroy();
  await service.end();
  expect(told(service)).toEqual([
    'the token file cannot be read; its tokens are answered 503 / EMFILE',
    'the token file is read',
  ]);
});

test('a service that watches a file ends on a signal', async () => {
  const { service } = await startWith('alice:abc\n');
  expect(await service.end()).toBe(0);
  expect(service.log.map(({ msg }) => msg)).toEqual(['listening', 'stopping', 'stopped']);
});

test.each([
  ['missing', undefined, /^cannot start: ACCESS_TOKENS_FILE: tokens cannot be read \(ENOENT\)$/],
  [
    'with a slip',
    'alice:abc\n\nbob:se cret\n',
    /^cannot start: ACCESS_TOKENS_FILE: line 3 of tokens is no bearer token; use/,
  ],
  [
    'with a token twice',
    `alice:abc\nbob:sha256:${hash('sha256', 'abc')}\n`,
    /: line 2 of tokens has the token of another entry;/,
  ],
])('a file that is %s stops the start in one line', async (_what, text, reason) => {
  const cwd = await makeFolder();
  if (text !== undefined) await writeFile(join(cwd, 'tokens'), text);
  const { code, output } = await runProcess(cwd, { ACCESS_TOKENS_FILE: 'tokens' });
  expect(code).toBe(1);
  expect(output.trim().split('\n')).toHaveLength(1);
  expect(JSON.parse(output).msg).toMatch(reason);
  expect(output).not.toMatch(/abc|se cret/);
});
