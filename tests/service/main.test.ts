import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProcess } from '../../scripts/support/service.ts';
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

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s stops the service with exit code 0 and a log line',
  async (signal) => {
    const service = await startProcess(await makeFolder());
    expect(await service.end(signal)).toBe(0);
    expect(service.log.map(({ msg }) => msg)).toEqual(['listening', 'stopping', 'stopped']);
  },
);

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
