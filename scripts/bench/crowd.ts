import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, open, writeRequest } from '../support/wire.ts';

/** How many connections come in a crowd, evenly spread over `time` milliseconds, and how long each client stays. */
export interface CrowdOfVisitors {
  readonly connections: number;
  readonly time: number;
  readonly stay: number;
}

/** The result of a crowd. */
export interface CrowdResult {
  /** Requests that were answered as expected before their client left. */
  readonly answers: number;
  /** Probes that were answered within a second, and how many were sent. */
  readonly probesInTime: number;
  readonly probes: number;
  /** The slowest answer to a probe, in milliseconds. */
  readonly slowestProbe: number;
}

/**
 * Connects, sends one GET, stays for some milliseconds, and leaves. Returns the milliseconds until a whole answer with
 * status 200; `undefined` without one.
 */
const visit = async (url: string, stay: number, leavesAtOnce = false): Promise<number | undefined> => {
  const { hostname, port, host, pathname, search } = new URL(url);
  const started = performance.now();
  const socket = open(Number(port), hostname);
  const timer = setTimeout(() => socket.destroy(), stay);
  const reply = await ask(socket, writeRequest(`GET ${pathname}${search} HTTP/1.1`, [`Host: ${host}`])).catch(
    () => undefined,
  );
  const answeredAfter = reply?.status === 200 ? performance.now() - started : undefined;
  if (leavesAtOnce || !reply) socket.destroy();
  if (!socket.closed) await once(socket, 'close');
  clearTimeout(timer);
  return answeredAfter;
};

/** The period and the timeout of a probe. Kubernetes waits for a second by default. */
const PROBE_EVERY = 1000;
const PROBE_TIMEOUT = 1000;
/** A probe that has no answer by then counts as one that took as long. */
const PROBE_MOST = 20_000;

/** Sends a crowd to a server, and a probe each second, if there is a URL for it. */
export const sendCrowd = async (
  target: string,
  { connections, time, stay }: CrowdOfVisitors,
  probe?: string,
): Promise<CrowdResult> => {
  const started = performance.now();
  const until = (milliseconds: number) => sleep(Math.max(0, started + milliseconds - performance.now()));
  const visits: Promise<number | undefined>[] = [];
  const probes: Promise<number | undefined>[] = [];
  for (let nth = 0; nth < connections; nth += 1) {
    const at = (nth * time) / connections;
    if (at > performance.now() - started) await until(at);
    if (probe !== undefined && at >= probes.length * PROBE_EVERY) probes.push(visit(probe, PROBE_MOST, true));
    visits.push(visit(target, stay));
  }
  const answered = (await Promise.all(visits)).filter((after) => after !== undefined);
  const probed = (await Promise.all(probes)).map((after = PROBE_MOST) => after);
  return {
    answers: answered.length,
    probes: probed.length,
    probesInTime: probed.filter((milliseconds) => milliseconds <= PROBE_TIMEOUT).length,
    slowestProbe: Math.max(0, ...probed),
  };
};
