import { fileURLToPath } from 'node:url';
import { createContract } from '../../../scripts/contract-tests/document/contract.ts';
import { readSources } from '../../../scripts/contract-tests/document/sources.ts';
import { createTransport } from '../../../scripts/contract-tests/exchange/transport.ts';
import { run } from '../../../scripts/contract-tests/run.ts';
import { withKin } from './service/routes.ts';
import { DESK_KEY, startLibrary, TOKEN } from './service/server.ts';
import type { Bug, Variant } from './service/variant.ts';

const FILE = fileURLToPath(new URL('seeded.yaml', import.meta.url));
const contract = createContract(await readSources(FILE));

/** The seeds of all trials. */
export const SEEDS = [41, 4711, 20_261_116] as const;

/** Longer than this no run may go without an answer. */
export const LONGEST_MS = 120_000;

/** What came of a trial. */
export interface Trial {
  readonly failures: number;
  /** What the failures say, without the table behind them. */
  readonly text: string;
  /** In seconds. */
  readonly cpu: number;
}

/** Holds the contract tests against a variant of the service, with their default settings. */
export const tryOut = async (
  variant: Variant,
  seed: number,
  { include = [], failFast = false }: { include?: readonly string[] | undefined; failFast?: boolean } = {},
): Promise<Trial> => {
  const service = await startLibrary(variant);
  const { url } = service;
  const transport = createTransport(url);
  // The run ends by itself once nobody answers any more.
  let isLate = false;
  const alarm = setTimeout(() => {
    isLate = true;
    void service.close();
  }, LONGEST_MS);
  const report = () => void alarm.refresh();
  const start = process.cpuUsage();
  const credentials = { token: TOKEN, apiKeys: { 'X-Desk-Key': DESK_KEY } };
  const options = { contract, transport, credentials, requests: 100, seed, url, include, failFast, report };
  const { text, failures } = await run(options).catch((error: Error) => ({
    text: error.message,
    failures: 0,
  }));
  const { user, system } = process.cpuUsage(start);
  clearTimeout(alarm);
  transport.close();
  if (!isLate) await service.close();
  // The table behind the failures names every operation.
  const [told = ''] = text.split(/^\| (?:operation|phase)/m);
  const cpu = (user + system) / 1e6;
  return isLate ? { failures: 0, text: 'The run came to a halt.', cpu } : { failures, text: told, cpu };
};

/** Whether a trial found a bug, and not just something. */
const tells = ({ names }: Bug, { failures, text }: Trial): boolean =>
  failures > 0 && (names.length === 0 || names.some((name) => text.includes(name)));

/**
 * Whether the contract tests find a bug. Runs are short where they can be: they look at the operations that
 * show it, then at those that share their state, and at the whole contract only if that is asked for.
 */
export const lookFor = async (bug: Bug, seed: number, whole = false) => {
  const { names, where = names } = bug;
  const steps = whole ? [[]] : names.length > 1 ? [withKin(where)] : [where, withKin(where)];
  let cpu = 0;
  let text = '';
  for (const include of steps) {
    const trial = await tryOut(bug, seed, { include, failFast: true });
    cpu += trial.cpu;
    text = trial.text;
    if (tells(bug, trial)) return { isFound: true, text, cpu };
  }
  return { isFound: false, text, cpu };
};
