/**
 * Lists the files and counts the functions of this repository that a warm `POST /plants` runs on the main thread, by V8's
 * precise coverage.
 *
 *   npm run path
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const WARM_UP = 200;

const folder = mkdtempSync(join(tmpdir(), 'request-path-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

Object.assign(process.env, {
  PORT: '0',
  ACCESS_TOKENS: 'path:a-token',
  DATABASE_URL: `sqlite:${join(folder, 'plants.db')}`,
  LOG_LEVEL: 'info',
  NODE_ENV: 'production',
});

const print = process.stdout.write.bind(process.stdout);

/** Resolves to the URL in the log of the service, and drops the other lines. */
const urlInLog = (): Promise<URL> =>
  new Promise((resolve) => {
    process.stdout.write = (line: string | Uint8Array): boolean => {
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(String(line))?.[0];
      if (found !== undefined) resolve(new URL('/plants', found));
      return true;
    };
  });

const post = async (url: URL, id: number): Promise<void> => {
  const sent = request(url, {
    method: 'POST',
    headers: { authorization: 'Bearer a-token', 'content-type': 'application/json' },
  }).end(JSON.stringify({ id, name: 'Fern' }));
  const [response] = await once(sent, 'response');
  response.resume();
  await once(response, 'end');
  if (response.statusCode !== 200) throw new Error(`the service answered ${response.statusCode}`);
};

// Started first: V8 counts the calls of functions that it compiles from now on.
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

const found = urlInLog();
await import('../src/main.ts');
const url = await found;
for (let id = 1; id <= WARM_UP; id += 1) await post(url, id);

await session.post('Profiler.takePreciseCoverage'); // resets the counts
await post(url, WARM_UP + 1);
const { result } = await session.post('Profiler.takePreciseCoverage');
const files = result.flatMap(({ url: script, functions }) => {
  const file = script.startsWith('file:') ? relative(ROOT, fileURLToPath(script)) : '';
  const run = functions.filter(({ ranges: [range] }) => range && range.startOffset > 0 && range.count > 0);
  const isOurs = /^(?:packages|src|generated)\//.test(file) && !file.includes('node_modules');
  return isOurs && run.length > 0 ? [{ file, functions: run.length }] : [];
});
for (const { file, functions } of files.toSorted((one, other) => (one.file < other.file ? -1 : 1)))
  print(`${String(functions).padStart(4)}  ${file}\n`);
const sum = files.reduce((total, { functions }) => total + functions, 0);
print(`${files.length} files, ${sum} functions\n`);
process.kill(process.pid, 'SIGTERM');
