import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { environmentOf, MAIN, type Settings } from '../../scripts/support/service.ts';
import { temporaryFolders } from '../support/temporary.ts';
import { runProcess } from './support/process.ts';

const makeFolder = temporaryFolders();
const PROGRAM = `${process.execPath} ${MAIN}`;

/** Starts the service, asks for a path that is not there, stops the service, and gives all that it wrote. */
const runAndAsk = async (
  [command = '', ...args]: readonly string[],
  settings: Settings,
  stop: (child: ChildProcessByStdio<Writable, Readable, null>) => void,
) => {
  const cwd = await makeFolder();
  const env = environmentOf({ TERM: 'xterm-256color', DATABASE_URL: 'memory:', ...settings });
  const child = spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] });
  const closed = once(child, 'close');
  let written = '';
  const reading = async (pattern: RegExp): Promise<string> => {
    for (let found = pattern.exec(written); ; found = pattern.exec(written)) {
      if (found) return found[0];
      await once(child.stdout, 'data');
    }
  };
  child.stdout.on('data', (chunk: Buffer) => {
    written += chunk;
  });
  const url = await reading(/http:\/\/127\.0\.0\.1:\d+/);
  await fetch(`${url}/nothing`);
  await reading(/\/nothing/);
  stop(child);
  await closed;
  written = written.replace('^C', ''); // a terminal echoes the input
  return { written, token: readFileSync(join(cwd, 'data/access-token'), 'utf8').trim() };
};

/** The same on a terminal, which util-linux's script makes, and stopped by Ctrl-C. */
const onTerminal = (settings: Settings = {}) =>
  runAndAsk(['script', '-qefc', PROGRAM, '/dev/null'], settings, ({ stdin }) => stdin.write('\u0003'));

const inPipe = (settings: Settings = {}) =>
  runAndAsk([process.execPath, MAIN], settings, (child) => child.kill());

const LINE =
  /\d\d:\d\d:\d\d {2}GET +\/nothing +404 +[\d.]+ ms {2}40401 there is nothing at \/nothing {2}\S+\r?\n/;

test('on a terminal the log is coloured lines for people', async () => {
  const { written } = await onTerminal();
  expect(written).toContain('\u001b[33m404\u001b[39m');
  expect(written).toContain('40401 there is nothing at /nothing');
  expect(written).not.toContain('"level"');
});

test('NO_COLOR takes the colours away', async () => {
  const { written } = await onTerminal({ NO_COLOR: '1' });
  expect(written).toMatch(LINE);
  expect(written).not.toContain('\u001b');
});

test('LOG_FORMAT=json keeps a terminal to JSON, from the first line on, without the token', async () => {
  const { written, token } = await onTerminal({ LOG_FORMAT: 'json' });
  const [first, second] = written.split('\r\n').map((line): unknown => JSON.parse(line || 'null'));
  expect(first).toMatchObject({ msg: 'listening', tokenFile: 'data/access-token' });
  expect(second).toMatchObject({ status: 404, error: 40401 });
  expect(written).not.toContain(token);
});

test('LOG_FORMAT=pretty makes lines for people anywhere, without colours and without the token', async () => {
  const { written, token } = await inPipe({ LOG_FORMAT: 'pretty' });
  expect(written).toMatch(
    /^\d\d:\d\d:\d\d {2}listening {2}address: http:\S+ {2}tokenFile: data\/access-token\n/,
  );
  expect(written).toMatch(LINE);
  expect(written).not.toContain('\u001b');
  expect(written).not.toContain(token);
});

test('LOG_FORMAT=pretty says in a sentence why a start is refused', async () => {
  const { code, output } = await runProcess(await makeFolder(), { LOG_FORMAT: 'pretty', PORT: 'http' });
  expect(code).toBe(1);
  expect(output).toMatch(/^.* cannot start: PORT must be a whole number from 0 to 65535, not "http"\n$/);
});
