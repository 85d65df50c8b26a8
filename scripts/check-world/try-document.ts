import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createProject } from '../../packages/create/src/new/project.ts';
import { parsePage } from '../../packages/openapi/src/files/load.ts';
import { ownMember } from '../../packages/openapi/src/json/pointer.ts';
import { linkPackages } from '../pack/link.ts';
import { packPackages } from '../pack/pack.ts';
import { startProcess } from '../support/service.ts';
import { inTemporaryFolder } from '../support/temporary-folder.ts';
import { usageOf } from '../support/usage.ts';

const runFile = promisify(execFile);

/** The results for a document. Missing members mean that it failed earlier. */
export interface Tried {
  version: string;
  /** What `generate` warned of, a line each. */
  warnings: string;
  operations?: number;
  generateSeconds?: number;
  buildSeconds?: number;
  readyMilliseconds?: number;
  /** The memory at rest, after the start. */
  mebibytes?: number | undefined;
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

/** How many requests each operation gets, and which. */
interface TryOptions {
  readonly requests: number;
  readonly seed: number;
}

/** The longest output of a program, in bytes. */
const MOST_OUTPUT = 2 ** 26;

/** Runs the contract tests of a built project, which start its service on a temporary store. */
const testContract = async (project: string, { requests, seed }: TryOptions): Promise<Partial<Tried>> => {
  const options = ['--requests', `${requests}`, '--seed', `${seed}`, '--report', 'json=report.json'];
  const failed = await runFile(process.execPath, ['dist/bin/cli.js', 'test', ...options], {
    cwd: project,
    maxBuffer: MOST_OUTPUT,
  }).then(() => undefined, reasonOf);
  // There is no report if no service answered.
  const report = await readFile(join(project, 'report.json'), 'utf8').catch(() => '{}');
  const { requests: sent, failures } = JSON.parse(report);
  return { requests: sent, failures, ...(failed !== undefined && { failed }) };
};

/** Runs the steps of an owner in order. Each records its result in `tried`. */
const takeSteps = async (spec: string, folder: string, tried: Tried, options: TryOptions): Promise<void> => {
  const project = join(folder, 'project');
  let started = performance.now();
  const { operations, warnings } = await createProject(
    { folder: project, spec, store: 'sqlite', registry: false },
    { tarballs: packPackages },
  );
  Object.assign(tried, { operations, warnings, generateSeconds: secondsSince(started) });

  started = performance.now();
  linkPackages(project, await packPackages());
  await runFile('npm', ['run', '--silent', 'build'], { cwd: project, maxBuffer: MOST_OUTPUT });
  tried.buildSeconds = secondsSince(started);

  started = performance.now();
  const settings = { ACCESS_TOKENS: 'a-token-for-the-world', DATABASE_URL: 'memory:', LOG_LEVEL: 'info' };
  const service = await startProcess(project, settings, join(project, 'dist/bin/main.js'));
  tried.readyMilliseconds = performance.now() - started;
  tried.mebibytes = usageOf(service.pid)?.residentMiB;
  await service.end();
  if (operations > 0) Object.assign(tried, await testContract(project, options));
};

/** Makes a project from a document and tries it. A document that fails on the way is no error. */
export const tryDocument = async (spec: string, options: TryOptions): Promise<Tried> => {
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
