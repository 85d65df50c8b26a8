import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createProject } from '../../packages/create/src/new/project.ts';
import { parsePage } from '../../packages/openapi/src/files/load.ts';
import { ownMember } from '../../packages/openapi/src/json/pointer.ts';
import { linkPackages } from '../pack/link.ts';
import { packPackages } from '../pack/pack.ts';
import { type ServiceProcess, startProcess } from '../support/service.ts';
import { inTemporaryFolder } from '../support/temporary-folder.ts';
import { testContract } from './test-contract.ts';

const runFile = promisify(execFile);

/** The access token of every service that is started: it has all scopes. */
const TOKEN = 'a-token-for-the-world';
const NAME = 'tester';

/** How far a document came. What it did not reach is missing. */
export interface Tried {
  version: string;
  /** What `generate` warned of, a line each. */
  warnings: string;
  operations?: number;
  generateSeconds?: number;
  buildSeconds?: number;
  readyMilliseconds?: number;
  /** The memory at rest, after the start. */
  mebibytes?: number;
  requests?: number;
  failures?: number;
  /** Why the document is not served, or what its contract tests found; missing if all is well. */
  failed?: string;
}

const secondsSince = (started: number): number => (performance.now() - started) / 1000;

const reasonOf = (error: unknown): string => {
  const output = [ownMember(error, 'stdout'), ownMember(error, 'stderr')].filter(Boolean).join('\n');
  return output || (error instanceof Error ? error.message : String(error));
};

const memoryOf = ({ pid }: ServiceProcess): number => {
  const [, kibibytes = 'NaN'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) / 1024;
};

/** The steps of an owner, one after the other. Each notes in `tried` what it has found out. */
const takeSteps = async (
  spec: string,
  folder: string,
  tried: Tried,
  options: { readonly requests: number; readonly seed: number },
): Promise<void> => {
  const project = join(folder, 'project');
  let started = performance.now();
  const { operations, warnings } = await createProject(
    { folder: project, spec, store: 'sqlite', registry: false },
    { tarballs: packPackages },
  );
  Object.assign(tried, { operations, warnings, generateSeconds: secondsSince(started) });

  started = performance.now();
  linkPackages(project, await packPackages());
  await runFile('npm', ['run', '--silent', 'build'], { cwd: project, maxBuffer: 2 ** 26 });
  tried.buildSeconds = secondsSince(started);

  started = performance.now();
  const service = await startProcess(
    project,
    { ACCESS_TOKENS: `${NAME}:${TOKEN}:*`, DATABASE_URL: 'memory:', LOG_LEVEL: 'info' },
    join(project, 'dist/bin/main.js'),
  );
  tried.readyMilliseconds = performance.now() - started;
  tried.mebibytes = memoryOf(service);
  try {
    const { requests, failures, text } = await testContract(join(project, 'openapi.yaml'), service.url, {
      ...options,
      token: TOKEN,
      name: NAME,
    });
    Object.assign(tried, { requests, failures });
    if (failures > 0) tried.failed = text;
  } finally {
    await service.end();
  }
};

/** Makes a project from a document and tries it. A document that fails on the way is no error. */
export const tryDocument = async (
  spec: string,
  options: { readonly requests: number; readonly seed: number },
): Promise<Tried> => {
  const page = await readFile(spec, 'utf8')
    .then((text) => parsePage(text, spec))
    .catch(() => undefined);
  const tried: Tried = { version: String(ownMember(page, 'openapi') ?? ''), warnings: '' };
  await inTemporaryFolder('check-world', (folder) => takeSteps(spec, folder, tried, options)).catch(
    (error: unknown) => {
      tried.failed = reasonOf(error);
    },
  );
  return tried;
};
