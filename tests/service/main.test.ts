import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { MAIN, startProcess } from '../../scripts/support/service.ts';
import { head, openSocket } from '../support/raw-http.ts';
import { temporaryFolders } from '../support/temporary.ts';
import { runProcess } from './support/process.ts';
import { clientOf } from './support/service.ts';

const makeFolder = temporaryFolders();

const createFern = (url: string, token: string) =>
  clientOf({ url }, token).createPlant({ body: { id: 41n, name: 'Fern' } });

describe('without any token configured', () => {
  test('a token is made on first start, kept for its owner alone, and used again', async () => {
    const cwd = await makeFolder();
    const first = await startProcess(cwd);
    const file = join(cwd, 'data', 'access-token');
    const token = readFileSync(file, 'utf8').trim();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(token.length).toBeGreaterThanOrEqual(32);
    expect((await createFern(first.url, token)).status).toBe(200);
    await first.end();
    // Away from a terminal the log names the file and never the token.
    expect(first.log[0]).toMatchObject({ msg: 'listening', tokenFile: 'data/access-token' });
    expect(JSON.stringify(first.log)).not.toContain(token);

    const second = await startProcess(cwd);
    expect((await createFern(second.url, token)).status).toBe(200);
    await second.end();
    expect(readFileSync(file, 'utf8').trim()).toBe(token);
  });

  test('production refuses to start', async () => {
    const { code, output } = await runProcess(await makeFolder(), { NODE_ENV: 'production' });
    expect(code).toBe(1);
    expect(JSON.parse(output)).toMatchObject({
      msg: 'cannot start: ACCESS_TOKENS, ACCESS_TOKENS_FILE or JWT_… must be set when NODE_ENV is production, as in ACCESS_TOKENS=name:token',
    });
  });

  test('an empty token file stops the start, since an empty token would be a guess away', async () => {
    const cwd = await makeFolder();
    mkdirSync(join(cwd, 'data'));
    writeFileSync(join(cwd, 'data/access-token'), '\n');
    const { code, output } = await runProcess(cwd);
    expect(code).toBe(1);
    expect(JSON.parse(output).msg).toContain('data/access-token is empty; delete it');
  });
});

describe('on a terminal', () => {
  /** util-linux's script gives the service a terminal; the pasted line is then run while it serves. */
  const startOnTerminal = (cwd: string) =>
    execFileSync(
      'sh',
      [
        '-c',
        `script -qefc "${process.execPath} ${MAIN}" out.txt > /dev/null 2>&1 < /dev/null &
         tries=0; until grep -q "curl -i" out.txt 2> /dev/null; do tries=$((tries+1)); [ $tries -gt 1000 ] && exit 9; sleep 0.05; done
         cat out.txt; grep "curl -i" out.txt | tr -d '\\r' | sh 2> /dev/null; pkill -P $!; wait`,
      ],
      { cwd, env: { PATH: process.env.PATH ?? '', PORT: '0' }, encoding: 'utf8' },
    );

  test('the start shows the address, the store, the token and a line that can be pasted', async () => {
    const cwd = await makeFolder();
    const screen = startOnTerminal(cwd);
    const token = readFileSync(join(cwd, 'data/access-token'), 'utf8').trim();
    expect(screen).toMatch(/address +http:\/\/127\.0\.0\.1:\d+/);
    expect(screen).toMatch(/docs +http:\/\/127\.0\.0\.1:\d+\/docs/);
    expect(screen).toMatch(/store +sqlite:data\/plants\.db/);
    expect(screen).toContain(`${token}  (kept in data/access-token)`);
    expect(screen).toContain('HTTP/1.1 200 OK');
    const body = screen.split('\r\n\r\n').at(-1) ?? '';
    expect(JSON.parse(body)).toEqual(
      screen.includes(' -d ') ? { name: 'Monstera deliciosa', tag: 'tropical' } : [], // the first operation of the contract
    );
  });

  test('a start that is refused says why in one sentence, and ends with 1', async () => {
    const { status, stdout } = spawnSync('script', ['-qefc', `${process.execPath} ${MAIN}`, 'out.txt'], {
      cwd: await makeFolder(),
      env: { PATH: process.env.PATH ?? '', PORT: 'http' },
      encoding: 'utf8',
    });
    expect(stdout.trim()).toBe(
      'Plant Store cannot start: PORT must be a whole number from 0 to 65535, not "http"',
    );
    expect(status).toBe(1);
  });
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s stops the service with exit code 0 and a log line',
  async (signal) => {
    const service = await startProcess(await makeFolder());
    expect(await service.end(signal)).toBe(0);
    expect(service.log.map(({ msg }) => msg)).toEqual(['listening', 'stopping', 'stopped']);
  },
);

test('a second signal, of either kind, ends a stop that takes too long', async () => {
  const service = await startProcess(await makeFolder());
  const socket = await openSocket(Number(new URL(service.url).port));
  socket.write(head('POST /plants', 'Content-Length: 9')); // and never its body
  await once(socket, 'data');
  const ended = service.end('SIGTERM');
  const isServing = () =>
    fetch(`${service.url}/healthz`).then(
      () => true,
      () => false,
    );
  while (await isServing());
  void service.end('SIGINT');
  expect(await ended).toBeNull(); // it is the signal that ended it
  socket.destroy();
});

test('configured tokens are served by name and never logged', async () => {
  const service = await startProcess(await makeFolder(), {
    ACCESS_TOKENS: 'alice:s3cret, b4re',
    NODE_ENV: 'production',
  });
  expect((await createFern(service.url, 's3cret')).status).toBe(200);
  expect((await createFern(service.url, 'b4re')).status).toBe(200);
  expect((await createFern(service.url, 'alice')).status).toBe(401);
  await service.end();
  expect(JSON.stringify(service.log)).not.toMatch(/s3cret|b4re/);
});

test.each([
  [{ DATABASE_URL: 'mysql://root:hunter2@db/plants' }, 'DATABASE_URL names no database'],
  [{ DATABASE_URL: 'sqlite:/dev/null/plants.db' }, 'DATABASE_URL: /dev/null/plants.db cannot be used'],
  [{ HOST: '203.0.113.1' }, 'this HOST and PORT cannot be used: listen EADDRNOTAVAIL'],
  [{ HOST: 'nowhere.invalid' }, 'this HOST and PORT cannot be used: getaddrinfo '],
  [{ ACCESS_TOKENS: 'alice:with space' }, 'ACCESS_TOKENS: entry 1 is no bearer token'],
])('a start with %j is refused in one line of JSON that names the setting', async (settings, reason) => {
  const { code, output } = await runProcess(await makeFolder(), settings);
  expect(code).toBe(1);
  expect(output.trim().split('\n')).toHaveLength(1);
  expect(JSON.parse(output).msg).toContain(`cannot start: ${reason}`);
  expect(output).not.toMatch(/hunter2|with space|\.ts:|\.js:/);
});

test.each([
  [{ DATABASE_URL: 'memory:' }, /no token can be kept, so set ACCESS_TOKENS: .*data/],
  [
    {},
    /DATABASE_URL: data\/plants\.db cannot be used: .*; let this user write to it and to its folder, or name/,
  ],
  [
    { ACCESS_TOKENS: 'a:b' },
    /DATABASE_URL: data\/plants\.db cannot be used: .*; let this user write to it and to its folder, or name/,
  ],
])('a folder without write permission is refused with %j in one line', async (settings, reason) => {
  const cwd = await makeFolder();
  writeFileSync(join(cwd, 'data'), 'in the way: nobody, not even root, can write below this');
  const { code, output } = await runProcess(cwd, settings);
  expect(code).toBe(1);
  expect(JSON.parse(output).msg).toMatch(reason);
});

test('with DOCS=off the service shows neither its reference nor its contract', async () => {
  const service = await startProcess(await makeFolder(), { DATABASE_URL: 'memory:', DOCS: 'off' });
  const paths = ['/', '/docs', '/openapi.json', '/openapi.yaml', '/healthz'];
  const replies = await Promise.all(paths.map((path) => fetch(service.url + path, { redirect: 'manual' })));
  await service.end();
  expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404, 200]);
});

test('a port in use is refused in one line', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = Object(other.address());
  const { code, output } = await runProcess(await makeFolder(), { PORT: `${port}` });
  other.close();
  expect(code).toBe(1);
  expect(JSON.parse(output).msg).toContain('this HOST and PORT cannot be used: listen EADDRINUSE');
});
