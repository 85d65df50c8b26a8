import { type Operation, responseFor } from './document/operations.ts';
import { unfitOf } from './exchange/judge.ts';
import type { Verdict } from './exchange/send.ts';
import type { Probe } from './requests/probe.ts';

/** What the answers to an operation tell, whatever is wrong with them. */
export const createTally = (operation: Operation) => {
  let requests = 0;
  let accepted = 0;
  let refused = 0;
  let limited = 0;
  const toValid = new Set<number>();
  const undeclared = new Set<number>();
  const unfit = new Set<string>();
  return {
    add: ({ refusal }: Probe, { answer }: Verdict): void => {
      if (!answer) return;
      const { status } = answer;
      requests += 1;
      if (status < 400) accepted += 1;
      else if (status < 500) refused += 1;
      if (status === 429) limited += 1;
      if (refusal === undefined) toValid.add(status);
      if (!responseFor(operation, status)) undeclared.add(status);
      const note = unfitOf(answer);
      if (note !== undefined) unfit.add(note);
    },
    counts: () => ({ requests, accepted, refused }),
    notes: (): string[] => [
      ...[...unfit].map((note) => `the stub says ${note}`),
      ...(toValid.size > 0 && [...toValid].every((status) => status >= 400)
        ? [`no valid request got more than ${[...toValid].join(', ')}`]
        : []),
      ...[...undeclared].map((status) => `answers ${status}, which it does not declare`),
      ...(limited > 0 ? [`answered 429 to ${limited} requests, which could not be checked`] : []),
    ],
  };
};
