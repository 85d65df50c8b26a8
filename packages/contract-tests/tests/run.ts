import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '@trellis/contract-tests';
import { toJson } from '@trellis/openapi/internal/json';

/** A contract: the name of its file, or a document. */
export type Spec = string | object;

/** The credentials of a service. */
export interface Credentials {
  readonly token?: string | undefined;
  readonly basic?: string | undefined;
  readonly apiKeys?: Readonly<Record<string, string>> | undefined;
}

/** The options of a run. */
export interface RunOptions {
  readonly url: string;
  readonly spec: Spec;
  readonly credentials?: Credentials;
  readonly requests?: number;
  readonly seed?: number;
  readonly phases?: readonly string[];
  readonly include?: readonly string[];
  /** Further options of the command. */
  readonly flags?: readonly string[];
}

/** The JSON report of a run. */
export interface Report {
  readonly failures: number;
  readonly end: { readonly why: string; readonly leftOut: readonly object[] } | null;
  readonly phases: readonly {
    readonly name: string;
    readonly requests: number;
    readonly subjects: readonly {
      readonly title: string;
      readonly accepted: number;
      readonly found: readonly { readonly name: string; readonly text: string }[];
    }[];
  }[];
}

/** The output of a run, and its report. */
export interface RunResult extends Report {
  readonly code: number;
  readonly text: string;
}

/** Runs the command in this process. */
export const runTests = async (args: readonly string[]) => {
  const lines: unknown[] = [];
  const { log, error } = console;
  console.log = console.error = (line: unknown) => void lines.push(line);
  try {
    const code = await runCommand(args, { name: 'tester', version: '1.2.3', own: { args: [], spec: '' } });
    return { code, text: lines.join('\n') };
  } finally {
    Object.assign(console, { log, error });
  }
};

const each = (option: string, values: readonly string[] = []): string[] =>
  values.map((value) => `--${option}=${value}`);

/** Runs the command against a service. Throws if it cannot start, or if the service goes away. */
export const run = async (options: RunOptions): Promise<RunResult> => {
  const { url, spec, credentials = {}, requests = 100, seed = 41 } = options;
  const { token, basic, apiKeys = {} } = credentials;
  const folder = await mkdtemp(join(tmpdir(), 'contract-tests-'));
  const [file, report] = [join(folder, 'openapi.json'), join(folder, 'report.json')];
  try {
    if (typeof spec !== 'string') await writeFile(file, toJson(spec));
    const { code, text } = await runTests([
      ...[url, `--spec=${typeof spec === 'string' ? spec : file}`, `--report=json=${report}`],
      ...[`--requests=${requests}`, `--seed=${seed}`, ...(options.flags ?? [])],
      ...each('token', token === undefined ? [] : [token]),
      ...each('basic', basic === undefined ? [] : [basic]),
      ...each(
        'api-key',
        Object.entries(apiKeys).map(([name, key]) => `${name}=${key}`),
      ),
      ...each('phase', options.phases),
      ...each('include', options.include),
    ]);
    if (code > 1 && code < 130) throw new Error(text);
    return { code, text, ...JSON.parse(await readFile(report, 'utf8')) };
  } finally {
    await rm(folder, { recursive: true });
  }
};
