import { operationsOf } from '../src/document/operations.ts';
import { type ExamineOptions, examine } from '../src/examine.ts';
import { createTell } from '../src/exchange/failure.ts';
import { countFailures, errorsIn } from '../src/report/results.ts';
import { renderText } from '../src/report/text.ts';

/** The options of a run. */
export interface RunOptions extends Omit<ExamineOptions, 'onProgress'> {
  readonly url: string;
  /** Only this operation. */
  readonly operation?: string | undefined;
  /** Called with the progress after every answer. */
  readonly report: (text: string) => void;
}

/** The outcome of a run: a text for people and the number of failures. */
export interface RunResult {
  readonly text: string;
  readonly failures: number;
}

/** Runs every phase of a contract. Throws if it cannot start, or if the service goes away. */
export const run = async ({ report, operation, ...options }: RunOptions): Promise<RunResult> => {
  if (operationsOf(options.contract).length === 0)
    return { text: 'The contract has no operations.', failures: 0 };
  const results = await examine({
    ...options,
    ...(operation !== undefined && { include: [operation] }),
    onProgress: ({ phase, subject, requests }) =>
      report(`${phase}: ${subject}: ${requests.toLocaleString('en')} requests so far`),
  });
  if (results.end?.kind === 'away') throw new Error(results.end.why);
  for (const { error } of errorsIn(results)) throw error;
  const text = renderText(results, createTell(options.contract, options.url));
  return { text, failures: countFailures(results) };
};
