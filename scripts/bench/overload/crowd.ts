import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** How many connections come in a crowd, evenly spread over `time` milliseconds, and how long each client stays. */
export interface Crowd {
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

/** A whole reply with status 200: all of ours have a Content-Length. */
const isAnswered = (text: string): boolean => {
  const [head, body] = text.split('\r\n\r\n', 2);
  const length = /^content-length: (\d+)/im.exec(head ?? '')?.[1];
  return text.startsWith('HTTP/1.1 200 ') && body !== undefined && Buffer.byteLength(body) >= Number(length);
};

/**
 * Connects, sends one GET, stays for some milliseconds, and leaves. Returns the milliseconds until the answer;
 * `undefined` without an answer.
 */
const visit = (url: string, stay: number, leavesAtOnce = false): Promise<number | undefined> =>
  new Promise((resolve) => {
    const { hostname, port, host, pathname, search } = new URL(url);
    const started = performance.now();
    let answeredAfter: number | undefined;
    let text = '';
    const socket = connect({ host: hostname, port: Number(port) });
    const leave = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answeredAfter);
    };
    const timer = setTimeout(leave, stay);
    socket.on('error', leave).on('data', (chunk) => {
      if (answeredAfter !== undefined) return;
      text += chunk.toString('latin1');
      if (!isAnswered(text)) return;
      answeredAfter = performance.now() - started;
      if (leavesAtOnce) leave();
    });
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  });

/** The period and the timeout of a probe. Kubernetes waits for a second by default. */
const PROBE_EVERY = 1000;
const PROBE_TIMEOUT = 1000;
/** A probe that has no answer by then counts as one that took as long. */
const PROBE_MOST = 20_000;

/** Sends a crowd to a server, and a probe each second, if there is a URL for it. */
export const sendCrowd = async (
  target: string,
  { connections, time, stay }: Crowd,
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
