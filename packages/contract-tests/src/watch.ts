import { type Failure, failureOf } from './exchange/failure.ts';
import { Stopped, type Transport } from './exchange/transport.ts';
import type { Breach, Draft } from './requests/draft.ts';
import type { Probe } from './requests/probe.ts';
import type { Outcome } from './run-check.ts';
import type { Session } from './session.ts';

/** A transport that sends nothing any more once the signal is given, or a moment has come. */
export const createStop = (signal: AbortSignal | undefined, { send, ...rest }: Transport) => {
  let until = Number.POSITIVE_INFINITY;
  let share: number | undefined;
  let stopped: Stopped | undefined;
  const check = (): void => {
    if (signal?.aborted) stopped = new Stopped(String(signal.reason));
    else if (performance.now() >= until) stopped = new Stopped(TIME_IS_UP);
    if (stopped) throw stopped;
  };
  const transport: Transport = {
    ...rest,
    send: async (request) => {
      // Until the first request, time went to the generator.
      if (share !== undefined) until = Math.min(until, performance.now() + share);
      share = undefined;
      check();
      return send(request);
    },
  };
  return {
    transport,
    /** Throws `Stopped` if it is time to stop, for work that sends nothing for long. */
    check,
    /** Goes on for so many milliseconds from the first request, but not beyond a moment by the clock of `performance`. */
    begin: (milliseconds: number, moment: number): void => {
      until = moment;
      share = milliseconds;
      stopped = undefined;
    },
    /** Whether it was stopped since then. */
    hasCut: (): boolean => stopped !== undefined,
  };
};

/** Why a run ends that has a limit of time. */
export const TIME_IS_UP = 'the time is up';

/** Watches what a session sends, so that a subject which is cut short still has an outcome. */
export const watch = (session: Session) => {
  const judged = new WeakMap<Draft, { readonly probe: Probe; readonly breach: Breach | undefined }>();
  let first: Failure | undefined;

  const send: Session['send'] = async (probe) => {
    const verdict = await session.send(probe);
    judged.set(probe.draft, { probe, breach: verdict.breach });
    first ??= failureOf(probe, verdict);
    return verdict;
  };

  return {
    session: { ...session, send },
    /** Begins with a new subject. */
    begin: (): void => {
      first = undefined;
    },
    /** What there is to say about the subject so far: its first failure, as it was met. */
    outcomeSoFar: (): Outcome => ({ failures: first ? [first] : [], notes: [] }),
    /** The probe whose reply broke the contract, if that was the reply to one. */
    probeOf: ({ exchanges, breach }: Failure): Probe | undefined => {
      const last = exchanges.at(-1);
      const known = last && judged.get(last.draft);
      return known?.breach && known.breach.what === breach.what ? known.probe : undefined;
    },
  };
};
