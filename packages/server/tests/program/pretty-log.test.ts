import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { Problem } from '@trellis/contract';
import { createPrettyLines } from '@trellis/server/internal';
import { createLog } from '../../src/program/log/log.ts';

/** Renders log lines as a terminal gets them. */
const screenOf = (write: (log: ReturnType<typeof createLog>) => void, inColour = false): string => {
  const output = new PassThrough();
  const log = createLog('trace', output, createPrettyLines(inColour));
  write(log);
  log.flush();
  return `${output.read() ?? ''}`;
};

/** The lines without the time, which each begins with. */
const linesOf = (...written: Parameters<typeof screenOf>): string[] =>
  screenOf(...written)
    .split('\n')
    .slice(0, -1)
    .map((line) => line.replace(/^\d\d:\d\d:\d\d {2}/, ''));

const LINE = {
  requestId: 'id-1',
  method: 'POST',
  path: '/things',
  operation: 'createThing',
  who: 'alice',
  status: 200,
  ms: 1.204,
};

test('a request is one line: method, path, status, milliseconds and who', () => {
  const [line, ...others] = linesOf(({ requests }) => requests.info(LINE, 'request'));
  expect(line?.split(/ {2,}/)).toEqual(['POST', '/things', '200', '1.2 ms', 'alice']);
  expect(others).toEqual([]);
});

test('a line begins with the local time', () => {
  const before = new Date().toTimeString().slice(0, 8);
  const screen = screenOf(({ log }) => log.info('now'));
  const after = new Date().toTimeString().slice(0, 8);
  expect([before, after]).toContain(screen.slice(0, 8));
});

test('a refusal adds its number, its reason and the id of the request', () => {
  const refused = { ...LINE, who: undefined, status: 401, error: 40102, reason: 'the token is not known' };
  const [line] = linesOf(({ requests }) => requests.info(refused, 'request'));
  expect(line).toMatch(/401 +1\.2 ms {2}40102 the token is not known {2}id-1$/);
});

test('a client that hung up, and bytes that never became a request, have their lines', () => {
  const lines = linesOf(({ requests }) => {
    requests.info({ ...LINE, status: undefined }, 'client hung up');
    requests.info({ requestId: 'id-2', status: 400, ms: 0, error: 40003, reason: 'no HTTP' }, 'request');
  });
  expect(lines[0]).toMatch(/^POST +\/things +--- +1\.2 ms {2}alice {2}client hung up {2}id-1$/);
  expect(lines[1]).toMatch(/^- +400 +0\.0 ms {2}40003 no HTTP {2}id-2$/);
});

test('an unexpected error has its stack, indented, with its causes', () => {
  const err = new Error('boom', { cause: new Error('no disk') });
  const [line, ...stack] = linesOf(({ requests }) =>
    requests.error({ ...LINE, status: 500, err }, 'request failed'),
  );
  expect(line).toContain('500');
  expect(line).toContain('boom: no disk');
  expect(stack[0]).toBe('  Error: boom');
  expect(stack.find((each) => each.includes('pretty-log.test'))).toMatch(/^ {6}at /);
  expect(stack).toContain('  caused by: Error: no disk');
});

test('an unavailable store is one line with its cause', () => {
  const err = new Problem(50301, 'the store is unavailable', { cause: new Error('ECONNREFUSED') });
  const lines = linesOf(({ requests }) =>
    requests.error({ ...LINE, status: 503, error: 50301, err }, 'request failed'),
  );
  expect(lines).toEqual([expect.stringContaining('50301 the store is unavailable: ECONNREFUSED')]);
});

test('whatever else is logged is a sentence with its details', () => {
  const lines = linesOf(({ log }) => {
    log.info({ address: 'http://127.0.0.1:3000' }, 'listening');
    log.warn({ err: new Error('no answer') }, 'the key server fails');
    log.fatal('cannot start');
    log.debug({ list: [1, 'a'] }, 'odd');
  });
  expect(lines).toEqual([
    'listening  address: http://127.0.0.1:3000',
    'warning  the key server fails: no answer',
    'fatal  cannot start',
    'debug  odd  list: [1,"a"]',
  ]);
});

test('nothing that a client chooses can begin a line, colour one, or make it long', () => {
  const evil = `\n\r\u001b[2J\u009b31m\u202e\u2028\ud800${'a'.repeat(9000)}`;
  const screen = screenOf(({ requests, log }) => {
    requests.info({ ...LINE, path: evil, who: evil, status: 404, reason: evil, requestId: evil }, 'request');
    log.warn({ [evil]: evil }, evil);
    log.error({ err: Object.assign(new Error(evil), { stack: evil.repeat(99) }) }, 'x');
  });
  expect(screen.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202e]/u);
  const lines = screen.split('\n');
  expect(lines).toHaveLength(2 + 1 + 40 + 1); // the last is a stack, of which 40 lines are shown
  expect(lines[0]).toContain('\\u000a\\u000d\\u001b[2J\\u009b31m\\u202e\\u2028\\ud800aaa');
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(2000);
});

test('colours are there only where they are wanted, and change nothing else', () => {
  const write: Parameters<typeof screenOf>[0] = ({ requests, log }) => {
    for (const status of [200, 302, 404, 500]) requests.info({ ...LINE, status }, 'request');
    log.warn('careful');
  };
  const [plain, coloured] = [linesOf(write), screenOf(write, true)];
  expect(plain.join('')).not.toContain('\u001b');
  expect(coloured).toContain('\u001b[32m200\u001b[39m');
  expect(coloured).toContain('\u001b[33m404\u001b[39m');
  expect(coloured).toContain('\u001b[31m500\u001b[39m');
  const stripped = stripVTControlCharacters(coloured).replaceAll(/^\d\d:\d\d:\d\d {2}/gm, '');
  expect(stripped.trimEnd().split('\n')).toEqual(plain);
});

test('a line that is not JSON is unchanged', () => {
  expect(createPrettyLines(true)('Debugger attached.\n')).toBe('Debugger attached.\n');
});
