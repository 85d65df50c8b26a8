import { operationsOf } from '../src/document/operations.ts';
import { type ExamineOptions, examine } from '../src/examine.ts';
import { createTell } from '../src/exchange/failure.ts';
import { createTransport, type TransportOptions } from '../src/exchange/transport.ts';
import { countFailures } from '../src/report/results.ts';
import { renderText } from '../src/report/text.ts';

/** The options of a run. */
export interface RunOptions
  extends Omit<ExamineOptions, 'onProgress' | 'transport' | 'credentials' | 'seed'>,
    Partial<Pick<ExamineOptions, 'transport' | 'credentials' | 'seed'>> {
  readonly url: string;
  /** How requests are sent, if there is no transport. */
  readonly sending?: TransportOptions;
  /** Called after every answer. */
  readonly onProgress?: () => void;
}

/** The outcome of a run: a text for people and the number of failures. */
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
  ...options
}: RunOptions): Promise<RunResult> => {
  if (operationsOf(options.contract).length === 0)
    return { text: 'The contract has no operations.', failures: 0 };
  const results = await examine({ ...options, transport, credentials, seed }).finally(transport.close);
  if (results.end?.kind === 'away') throw new Error(results.end.why);
  const text = renderText(results, createTell(options.contract, url));
  return { text, failures: countFailures(results) };
};
