import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileBody } from '@trellis/server/http';
import { temporaryFolders } from '../../../../tests/support/temporary.ts';
import { operationServers } from '../support/serve.ts';

const newFolder = temporaryFolders();
const serve = operationServers();
const run = promisify(execFile);

const digestOf = async (file: string) =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');

test('`curl -C -` continues a download where it ended, and does nothing if it is complete', async () => {
  const folder = await newFolder();
  const [source, copy] = [join(folder, 'source'), join(folder, 'copy')];
  await writeFile(source, randomBytes(20_000_003));
  const content = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };
  const responses = { 200: { description: '', content }, 206: { description: '', content } };
  const { url } = await serve({ responses }, async () => ({ status: 200, body: await fileBody(source) }));
  const download = async () => {
    const format = '%{http_code} %{size_download}';
    const { stdout } = await run('curl', ['-sS', '-C', '-', '-o', copy, '-w', format, url]);
    return stdout;
  };
  expect(await download()).toBe('200 20000003');
  await truncate(copy, 12_345_678);
  expect(await download()).toBe('206 7654325');
  expect(await digestOf(copy)).toBe(await digestOf(source));
  expect(await download()).toMatch(/^416 /);
  expect(await digestOf(copy)).toBe(await digestOf(source));
}, 60_000);
