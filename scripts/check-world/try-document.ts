import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createContract } from '../../packages/contract-tests/src/document/contract.ts';
import { readSources } from '../../packages/contract-tests/src/document/sources.ts';
import { createTransport } from '../../packages/contract-tests/src/exchange/transport.ts';
import { run } from '../../packages/contract-tests/src/run.ts';
import { createProject } from '../../packages/create/src/new/project.ts';
import { schemeAt } from '../../packages/openapi/src/document/security-scheme.ts';
import { parsePage } from '../../packages/openapi/src/files/load.ts';
import { ownMember, pointerTo, valueAt } from '../../packages/openapi/src/json/pointer.ts';
import { linkPackages } from '../pack/link.ts';
import { packPackages } from '../pack/pack.ts';
import { startProcess } from '../support/service.ts';
import { inTemporaryFolder } from '../support/temporary-folder.ts';
import { usageOf } from '../support/usage.ts';

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

/** The names of the headers, query parameters and cookies that API keys are sent in. */
const apiKeysOf = (document: unknown): string[] =>
  Object.keys(valueAt(document, pointerTo('components', 'securitySchemes')) ?? {})
    .map((name) => schemeAt(document, name))
    .flatMap((scheme) => (scheme?.kind === 'apiKey' ? [scheme.parameter] : []));

/** Runs the contract tests of a document against a service, with credentials for each of its security schemes. */
const testContract = async (spec: string, url: string, options: TryOptions) => {
  const sources = await readSources(spec);
  const apiKeys = Object.fromEntries(apiKeysOf(sources.document).map((key) => [key, TOKEN]));
  const transport = createTransport(url);
  let requests = 0;
  try {
    const { text, failures } = await run({
      ...options,
      contract: createContract(sources),
      transport,
      credentials: { token: TOKEN, basic: `${NAME}:${TOKEN}`, apiKeys },
      url,
      report: () => {
        requests += 1;
      },
    });
    return { requests, failures, text };
  } finally {
    transport.close();
  }
};

/** The steps of an owner, one after the other. Each notes in `tried` what it has found out. */
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
  await runFile('npm', ['run', '--silent', 'build'], { cwd: project, maxBuffer: 2 ** 26 });
  tried.buildSeconds = secondsSince(started);

  started = performance.now();
  const service = await startProcess(
    project,
    { ACCESS_TOKENS: `${NAME}:${TOKEN}:*`, DATABASE_URL: 'memory:', LOG_LEVEL: 'info' },
    join(project, 'dist/bin/main.js'),
  );
  tried.readyMilliseconds = performance.now() - started;
  tried.mebibytes = usageOf(service.pid)?.residentMiB;
  try {
    const { requests, failures, text } = await testContract(
      join(project, 'openapi.yaml'),
      service.url,
      options,
    );
    Object.assign(tried, { requests, failures });
    if (failures > 0) tried.failed = text;
  } finally {
    await service.end();
  }
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
