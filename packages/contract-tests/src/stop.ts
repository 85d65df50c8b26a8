import { Stopped, type Transport } from './exchange/transport.ts';

/** Creates a transport that throws `Stopped` once the signal is aborted or the time is up. */
export const createStop = (signal: AbortSignal | undefined, { send, ...rest }: Transport) => {
  let until = Number.POSITIVE_INFINITY;
  let allowance: number | undefined;
  let stopped: Stopped | undefined;
  const check = (): void => {
    if (signal?.aborted) stopped = new Stopped(String(signal.reason));
    else if (performance.now() >= until) stopped = new Stopped(TIME_IS_UP);
    if (stopped) throw stopped;
  };
  const transport: Transport = {
    ...rest,
    send: async (request) => {
      // The time before the first request was spent on generation.
      if (allowance !== undefined) until = Math.min(until, performance.now() + allowance);
      allowance = undefined;
      check();
      return send(request);
    },
  };
  return {
    transport,
    /** Throws `Stopped` if it is time to stop, for long work without requests. */
    check,
    /** Starts a time limit: `milliseconds` from the first request, but not after `moment` by `performance.now()`. */
    begin: (milliseconds: number, moment: number): void => {
      until = moment;
      allowance = milliseconds;
      stopped = undefined;
    },
    /** Whether it has stopped since then. */
    hasCut: (): boolean => stopped !== undefined,
  };
};

/** The reason of a stop by a time limit. */
export const TIME_IS_UP = 'the time is up';
