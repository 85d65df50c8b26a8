import { oncePerKey } from '@trellis/openapi/internal/json';
import { type Contract, createContract } from '../src/document/contract.ts';
import { operationsOf } from '../src/document/operations.ts';
import { readSources, sourcesOf } from '../src/document/sources.ts';
import { type ExamineOptions, examine } from '../src/examine.ts';
import { createTell } from '../src/exchange/failure.ts';
import { createTransport, type TransportOptions } from '../src/exchange/transport.ts';
import { countFailures } from '../src/report/results.ts';
import { renderText } from '../src/report/text.ts';

/** The options of a run. */
export interface RunOptions
  extends Omit<ExamineOptions, 'onProgress' | 'transport' | 'credentials' | 'seed' | 'contract'>,
    Partial<Pick<ExamineOptions, 'transport' | 'credentials' | 'seed'>> {
  readonly url: string;
  readonly contract?: Contract;
  /** The contract as a file or a document, if it is not read yet. */
  readonly spec?: string | object;
  /** How requests are sent, if there is no transport. */
  readonly sending?: TransportOptions;
  /** Called after every answer. */
  readonly onProgress?: () => void;
}

const contractOf = oncePerKey(async (spec: string | object) =>
  createContract(typeof spec === 'string' ? await readSources(spec) : sourcesOf(spec)),
);

/** The report of a run as text, and the number of failures. */
export interface RunResult {
  readonly text: string;
  readonly failures: number;
}

/** Runs every phase of a contract. Throws if it cannot start, or if the service goes away. */
export const run = async ({
  url,
  sending = {},
  transport = createTransport(url, sending),
  credentials = {},
  seed = 41,
  spec = {},
  contract: given,
  ...options
}: RunOptions): Promise<RunResult> => {
  const contract = given ?? (await contractOf(spec));
  if (operationsOf(contract).length === 0) return { text: 'The contract has no operations.', failures: 0 };
  const results = await examine({ ...options, contract, transport, credentials, seed }).finally(
    transport.close,
  );
  if (results.end?.kind === 'away') throw new Error(results.end.why);
  const text = renderText(results, createTell(contract, url));
  return { text, failures: countFailures(results) };
};
