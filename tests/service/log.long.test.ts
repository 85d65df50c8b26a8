import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough, Writable } from 'node:stream';
import { createLog } from '../../packages/server/src/program/log/log.ts';
import { environmentOf, MAIN } from '../../scripts/support/service.ts';
import { temporaryFolders } from '../support/temporary.ts';
import { post } from './support/service.ts';

const makeFolder = temporaryFolders();

test('lines are written together, within a moment', async () => {
  const output = new PassThrough();
  const { log } = createLog('info', output);
  log.info('one');
  log.info('two');
  expect(output.readableLength).toBe(0);
  const [chunk]: unknown[] = await once(output, 'data');
  const lines = `${chunk}`.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['one', 'two']);
});

test('the line of a request is what pino would have written', () => {
  const output = new PassThrough();
  const { log, requests, flush } = createLog('info', output);
  const details = { requestId: 'a', path: '/"\n\u2028é', who: undefined, status: 200, ms: 0.5 };
  log.info(details, 'request');
  requests.info(details, 'request');
  flush();
  const [one = '', other] = `${output.read()}`.replace(/"time":\d+/g, '"time":0').split('\n');
  expect(JSON.parse(one)).toMatchObject({ level: 30, status: 200 });
  expect(other).toBe(one);
});

test('the line of a request has the time at which it was logged, not that at which it was written', () => {
  const output = new PassThrough();
  const { requests, flush } = createLog('info', output);
  const before = Date.now();
  requests.info({ status: 200 }, 'request');
  const after = Date.now();
  while (Date.now() <= after);
  flush();
  const { time } = JSON.parse(`${output.read()}`);
  expect(time).toBeGreaterThanOrEqual(before);
  expect(time).toBeLessThanOrEqual(after);
});

test.each([
  ['info', ['info', 'error']],
  ['error', ['error']],
  ['silent', []],
])('at the level %s, the logged requests are %j', (level, told) => {
  const output = new PassThrough();
  const { requests, flush } = createLog(level, output);
  for (const each of ['debug', 'info', 'error'] as const) requests[each]({ status: 200 }, each);
  flush();
  const lines = `${output.read() ?? ''}`.split('\n').filter((line) => line !== '');
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(told);
});

test('many lines do not wait for the moment to pass', () => {
  const output = new PassThrough();
  const { log } = createLog('info', output);
  for (let line = 0; line < 100; line += 1) log.info('a'.repeat(1000));
  expect(output.readableLength + output.writableLength).toBeGreaterThan(80_000);
});

test('a log without a reader does not fill memory, and reports dropped lines once it is read again', async () => {
  let letGo = () => {};
  const written: string[] = [];
  const output = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      written.push(text);
      letGo = done;
    },
  });
  const { log, flush } = createLog('info', output);
  for (let line = 0; line < 40; line += 1) log.info('a'.repeat(2 ** 20));
  expect(output.writableLength).toBeGreaterThan(32 * 2 ** 20);
  expect(output.writableLength).toBeLessThan(34 * 2 ** 20);

  while (output.writableLength > 0) letGo();
  log.info('read again');
  flush();
  letGo();
  flush();
  const lines = written.join('').trim().split('\n');
  expect(JSON.parse(lines.at(-2) ?? '')).toMatchObject({ msg: 'read again' });
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ level: 40, dropped: 40 - (lines.length - 2) });
});

test('a process that exits, or crashes, writes its last lines', () => {
  const log = new URL('../../packages/server/src/program/log/log.ts', import.meta.url).href;
  const script = `
    const { createLog } = await import('${log}');
    const { log } = createLog('info', process.stdout);
    log.info('last words');
    process.exit(0);`;
  const output = execFileSync(
    process.execPath,
    ['--conditions=source', '--import', 'tsx', '--input-type=module', '-e', script],
    { encoding: 'utf8' },
  );
  expect(JSON.parse(output)).toMatchObject({ msg: 'last words' });
});

test('a service whose log has no reader any more serves on, and stops as ever', async () => {
  const child = spawn(process.execPath, [MAIN], {
    cwd: await makeFolder(),
    env: environmentOf({ ACCESS_TOKENS: 'alice:s3cret' }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line]: string[] = await once(createInterface({ input: child.stdout }), 'line');
  child.stdout.destroy();
  const { address } = JSON.parse(line ?? '');
  for (let id = 0; id < 200; id += 1) {
    const reply = await post({ url: address }, `{"id":${id},"name":"Fern"}`, {
      authorization: 'Bearer s3cret',
    });
    expect(reply.status).toBe(200);
  }
  child.kill();
  expect(await once(child, 'exit')).toEqual([0, null]);
});
