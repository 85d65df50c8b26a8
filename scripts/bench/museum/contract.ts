import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../support/postgres.ts';
import { type Entry, inFolder, startServer } from '../subjects.ts';
import { STAFF } from './entries.ts';

const SECRET = 'whsec_VGhlIHBhcnJvdHMgZGViYXRlIGF0IGZvdXI=';
const COMMAND = fileURLToPath(new URL('../../contract-tests.ts', import.meta.url));
const CONTRACT = fileURLToPath(new URL('../../../examples/museum/openapi.yaml', import.meta.url));

/** The phases whose requests must all be refused. */
const BAD = ['parameters', 'bodies', 'credentials'];

interface Counts {
  readonly requests: number;
  readonly accepted: number;
  readonly refused: number;
}

/** The report of the contract tests, as far as it is read here. */
interface Report extends Counts {
  readonly failures: number;
  readonly phases: readonly (Counts & {
    readonly name: string;
    readonly subjects: readonly {
      readonly found: readonly { readonly operation: string; readonly name: string; readonly what: string }[];
    }[];
  })[];
}

/** Runs all phases of the contract tests against a museum, with requests that are the same for all. */
export const testContract = (entry: Entry, node: string) =>
  inFolder(async (folder) => {
    const port = await freePort();
    const settings = {
      ...{ SUBSCRIBERS: `http://127.0.0.1:${port}/webhooks/publishNewEvent`, WEBHOOK_NETWORKS: '127.0.0.1' },
      ...{ WEBHOOK_SECRET: SECRET, NODE_ENV: 'test', ...entry.settings },
    };
    const running = await startServer(
      { ...entry, settings },
      node,
      folder,
      `sqlite:${join(folder, 'museum.db')}`,
    );
    const report = join(folder, 'report.json');
    const options = [
      ...['--spec', CONTRACT, '--base-path', '/', '--basic', STAFF, '--seed', '41'],
      ...['--webhooks', `${port}`, '--webhook-secret', SECRET, '--report', `json=${report}`],
    ];
    await promisify(execFile)(process.execPath, [...process.execArgv, COMMAND, running.url, ...options], {
      timeout: 300_000,
    }).catch(() => {}); // it fails if it finds anything
    await running.stop();
    const { requests, failures, phases }: Report = JSON.parse(await readFile(report, 'utf8'));
    const bad = phases.filter(({ name }) => BAD.includes(name));
    const sum = (of: keyof Counts): number => bad.reduce((total, phase) => total + phase[of], 0);
    return {
      ...{ requests, failures, bad: sum('requests'), accepted: sum('accepted'), refused: sum('refused') },
      found: phases.flatMap(({ subjects }) => subjects.flatMap(({ found }) => found)),
    };
  });
