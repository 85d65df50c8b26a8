import type { Breach } from './exchange/breach.ts';
import type { Failure } from './exchange/failure.ts';
import type { Transport } from './exchange/transport.ts';
import type { Draft } from './requests/draft.ts';
import type { Probe } from './requests/probe.ts';
import type { Outcome } from './run-check.ts';
import type { Session } from './session.ts';

/** Thrown instead of sending a request once the run is to stop. */
export class Stopped extends Error {}

/** A transport that sends nothing any more once the signal is given. */
export const stopOn = (signal: AbortSignal | undefined, { send, ...rest }: Transport): Transport => ({
  ...rest,
  send: async (request) => {
    if (signal?.aborted) throw new Stopped(String(signal.reason));
    return send(request);
  },
});

/** Watches what a session sends, so that a subject which is cut short still has an outcome. */
export const watch = (session: Session) => {
  const judged = new WeakMap<Draft, { readonly probe: Probe; readonly breach: Breach | undefined }>();
  let requests = 0;
  let accepted = 0;
  let refused = 0;
  let first: Failure | undefined;

  const send: Session['send'] = async (probe) => {
    const verdict = await session.send(probe);
    const { answer, breach } = verdict;
    const { draft } = probe;
    judged.set(draft, { probe, breach });
    requests += 1;
    if (answer && answer.status < 400) accepted += 1;
    if (answer && answer.status >= 400 && answer.status < 500) refused += 1;
    if (breach)
      first ??= { name: probe.name, exchanges: [...(draft.before ?? []), { draft, answer }], breach };
    return verdict;
  };

  return {
    session: { ...session, send },
    /** Begins with a new subject. */
    begin: (): void => {
      requests = accepted = refused = 0;
      first = undefined;
    },
    /** What there is to say about the subject so far: its first failure, as it was met. */
    outcomeSoFar: (): Outcome => ({
      requests,
      accepted,
      refused,
      failures: first ? [first] : [],
      notes: [],
    }),
    /** The probe whose answer broke the contract, if that was the answer to one. */
    probeOf: ({ exchanges, breach }: Failure): Probe | undefined => {
      const last = exchanges.at(-1);
      const known = last && judged.get(last.draft);
      return known?.breach && known.breach.what === breach.what ? known.probe : undefined;
    },
  };
};
