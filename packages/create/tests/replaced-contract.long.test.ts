import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { copyProject, ROOT, TRELLIS } from '@trellis/test-support/scratch';
import { temporaryFolders } from '@trellis/test-support/temporary';

const DOCUMENTS = fileURLToPath(new URL('../../../tests/contracts/documents', import.meta.url));
const makeFolder = temporaryFolders();

/** A service that is mounted in an Express app. Its one token is valid for each scheme of the documents. */
const MAIN = `import { createService, createStaticTokens } from '@trellis/server';
import express from 'express';
import { contract } from '../generated/handler.ts';
import { createHandlers } from './handlers.ts';

const { app } = await createService(
  { name: 'stubs', version: '1.0.0', contract, openStore: async () => undefined, handlers: createHandlers },
  { tokens: createStaticTokens([{ name: 'somebody', token: 'a-token' }]) },
);
const server = express().use(app).listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log('http://127.0.0.1:' + (typeof address === 'object' ? address?.port : ''));
});
`;

const CREDENTIALS = [
  ['--token', 'a-token'],
  ['--basic', 'somebody:a-token'],
  ['--api-key', 'X-Api-Key=a-token'],
  ['--api-key', 'key=a-token'],
  ['--api-key', 'api_key=a-token'],
].flat();

/** A project with another contract, and nothing but a service of it. */
const replaceContract = async (document: string): Promise<string> => {
  const folder = await makeFolder();
  await copyProject(folder, ['package.json', 'tsconfig.json']);
  await mkdir(join(folder, 'src'));
  const source = join(DOCUMENTS, document);
  if (basename(source) === 'openapi.yaml') await cp(dirname(source), folder, { recursive: true });
  else await cp(source, join(folder, 'openapi.yaml'));
  await writeFile(join(folder, 'src/main.ts'), MAIN);
  return folder;
};

const node = (cwd: string, ...rest: string[]): ChildProcess => spawn(process.execPath, rest, { cwd });

/** Runs a program to its end. A failure shows its output. */
const run = async (cwd: string, ...rest: string[]): Promise<void> => {
  const child = node(cwd, ...rest);
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => output.push(`${chunk}`));
  await once(child, 'close');
  if (child.exitCode !== 0) throw new Error(output.join(''));
};

let service: ChildProcess | undefined;
afterEach(async () => {
  if (!service) return;
  const ended = once(service, 'exit');
  service.kill();
  await ended;
});

test.each(['parameters.yaml', 'bodies.yaml', 'several-files/openapi.yaml'])(
  'with %s for openapi.yaml the scaffold generates, type-checks, starts, and keeps its contract, all with stubs',
  async (document) => {
    const folder = await replaceContract(document);
    await run(folder, ...TRELLIS, 'generate');
    expect((await readdir(join(folder, 'src/handlers'))).length).toBeGreaterThan(3);
    await run(folder, 'node_modules/typescript/bin/tsc', '--noEmit');
    service = node(folder, '--conditions=source', '--import', 'tsx', 'src/main.ts');
    if (!service.stdout) throw new Error('no output');
    const [url]: string[] = await once(createInterface({ input: service.stdout }), 'line');
    // Few requests: any-contract.long.test.ts sends many, of every phase, to the same documents.
    const phases = ['examples', 'valid', 'parameters', 'bodies', 'credentials', 'http', 'transfer', 'state'];
    const few = ['--requests', '5', '--seed', '41', ...phases.flatMap((phase) => ['--phase', phase])];
    const tester = join(ROOT, 'scripts/contract-tests.ts');
    const command = [tester, `${url}`, ...few, ...CREDENTIALS];
    await run(folder, '--conditions=source', '--import', 'tsx', ...command);
  },
  120_000,
);
