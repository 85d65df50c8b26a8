/**
 * Tries Trellis on a folder of OpenAPI documents: makes a project from each, builds it, starts it with stubs, and
 * runs its contract tests. Prints a table, and refusals, warnings and findings on the standard error.
 *
 *   npm run check:world -- FOLDER
 *
 * Packages on npm have documents to try: @readme/oas-examples, @scalar/galaxy, @octokit/openapi.
 * Exits 1 unless every document is served and keeps its contract.
 */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { renderTable } from '@trellis/contract-tests/internal';
import { createProject } from '../packages/create/src/new/project.ts';
import { fromCaller } from '../packages/create/src/npm.ts';
import { linkPackages } from './pack/link.ts';
import { packPackages } from './pack/pack.ts';
import { startProcess } from './support/service.ts';
import { inTemporaryFolder } from './support/temporary-folder.ts';
import { usageOf } from './support/usage.ts';

const COLUMNS = [
  ...(['operations', 'generate s', 'warnings', 'build s', 'ready ms', 'MiB'] as const),
  ...(['requests', 'failures'] as const),
];

/** The results for a document. The figures of steps that it did not reach are missing. */
interface Tried {
  readonly figures: Partial<Record<(typeof COLUMNS)[number], number | undefined>>;
  /** What `generate` warned of, a line each. */
  warnings: string;
  /** Why the document is not served, or what its contract tests found; missing if all is well. */
  failed?: string;
}

const secondsSince = (started: number): number => (performance.now() - started) / 1000;

/** The output of a program that failed, or the message of another error. */
const reasonOf = (error: unknown): string => {
  const { stdout = '', stderr = '', message = String(error) } = Object(error);
  return `${stdout}${stderr}` || message;
};

const run = (project: string, command: string, ...args: readonly string[]) =>
  promisify(execFile)(command, args, { cwd: project, maxBuffer: 2 ** 26 });

/** Runs the contract tests of a built project, which start its service on a temporary store. */
const testContract = async (project: string, tried: Tried): Promise<void> => {
  const test = ['dist/bin/cli.js', 'test', '--requests', '10', '--seed', '1', '--report', 'json=report.json'];
  await run(project, process.execPath, ...test).catch((error) => {
    tried.failed = reasonOf(error);
  });
  // There is no report if no service answered.
  const report = await readFile(join(project, 'report.json'), 'utf8').catch(() => '{}');
  const { requests, failures } = JSON.parse(report);
  Object.assign(tried.figures, { requests, failures });
};

/** Runs the steps of an owner in order. Each records its result in `tried`. */
const takeSteps = async (spec: string, folder: string, tried: Tried): Promise<void> => {
  const { figures } = tried;
  const project = join(folder, 'project');
  let started = performance.now();
  const { operations, warnings } = await createProject(
    { folder: project, spec, store: 'sqlite', registry: false },
    { tarballs: packPackages },
  );
  tried.warnings = warnings;
  figures.operations = operations;
  figures.warnings = warnings === '' ? 0 : warnings.split('\n').length;
  figures['generate s'] = secondsSince(started);

  started = performance.now();
  linkPackages(project, await packPackages());
  await run(project, 'npm', 'run', '--silent', 'build');
  figures['build s'] = secondsSince(started);

  started = performance.now();
  const settings = { ACCESS_TOKENS: 'a-token-for-the-world', DATABASE_URL: 'memory:', LOG_LEVEL: 'info' };
  const service = await startProcess(project, settings, join(project, 'dist/bin/main.js'));
  figures['ready ms'] = secondsSince(started) * 1000;
  figures.MiB = usageOf(service.pid)?.residentMiB;
  await service.end();
  if (operations > 0) await testContract(project, tried);
};

/** How much of a reason the table shows. */
const LONGEST = 100;

const renderRow = (file: string, { figures, failed = 'green' }: Tried): string[] => {
  const outcome = failed.trim().replaceAll(/\s+/g, ' ');
  return [
    file,
    ...COLUMNS.map((name) =>
      (figures[name] ?? '').toLocaleString('en', { maximumFractionDigits: name.endsWith(' s') ? 1 : 0 }),
    ),
    outcome.length > LONGEST ? `${outcome.slice(0, LONGEST)}…` : outcome,
  ];
};

const [folder, ...others] = process.argv.slice(2);
if (folder === undefined || folder.startsWith('-') || others.length > 0) {
  console.error('usage: npm run check:world -- FOLDER');
  process.exit(1);
}
const files = await readdir(fromCaller(folder));
const documents = files.filter((file) => ['.yaml', '.yml', '.json'].includes(extname(file))).sort();
const rows: string[][] = [];
let served = 0;
for (const [index, file] of documents.entries()) {
  const tried: Tried = { figures: {}, warnings: '' };
  const spec = join(fromCaller(folder), file);
  await inTemporaryFolder('check-world', (temporary) => takeSteps(spec, temporary, tried)).catch((error) => {
    tried.failed = reasonOf(error);
  });
  if (tried.failed === undefined) served += 1;
  rows.push(renderRow(file, tried));
  const details = [tried.warnings, tried.failed ?? 'served'].filter(Boolean).join('\n');
  console.error(`# ${index + 1} of ${documents.length}: ${file}\n${details}\n`);
}
console.log(renderTable(['document', ...COLUMNS, 'outcome'], rows));
console.log(`\n${served} of ${documents.length} served and green`);
process.exitCode = served === documents.length ? 0 : 1;
