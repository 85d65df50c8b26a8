import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { cp, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { TOKEN } from '../../packages/server/tests/support/service.ts';
import { MAIN, startProcess } from '../../scripts/support/service.ts';
import { openSocket, postHeadTo } from '../support/raw-http.ts';
import { temporaryFolders } from '../support/temporary.ts';
import { runProcess } from './support/process.ts';
import { CONTRACT_FILE } from './support/service.ts';

const makeFolder = temporaryFolders();

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

test('a second signal, of either kind, ends a stop that takes too long', async () => {
  const service = await startProcess(await makeFolder(), { ACCESS_TOKENS: TOKEN });
  const socket = await openSocket(Number(new URL(service.url).port));
  socket.write(postHeadTo('/plants', 'Content-Length: 9', 'Expect: 100-continue')); // and never its body
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

test('the API reference is served while a build replaces its files', async () => {
  const folder = await makeFolder();
  const root = dirname(CONTRACT_FILE);
  await cp(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const settings = { DATABASE_URL: 'memory:', ACCESS_TOKENS: 'a-token' };
  const service = await startProcess(
    folder,
    settings,
    join(folder, 'dist/bin', MAIN.slice(dirname(MAIN).length)),
  );
  await rm(join(folder, 'dist'), { recursive: true });
  for (const path of ['/docs', '/docs/reference.js', '/docs/reference.css'])
    expect([path, (await fetch(service.url + path)).status]).toEqual([path, 200]);
  await service.end();
});
