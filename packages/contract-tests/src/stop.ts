import { Stopped, type Transport } from './exchange/transport.ts';

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
