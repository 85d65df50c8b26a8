import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBackoff } from '../../background/backoff.ts';
import { createMetrics, renderMetrics } from '../../http/observe/metrics.ts';
import type { Config } from '../config.ts';
import { type OpenLog, openLog } from '../log/log.ts';
import { endProcess, onStopSignal } from '../signals.ts';
import { type Call, createLink, type GroupCalls, type MemberCalls } from './link.ts';

/** How long workers may take to stop after the drain, in milliseconds. Requests under way have 10 s of it. */
const STOP_WITHIN = 20_000;

/** How long the last worker waits for the others to stop listening, in milliseconds: they would accept some of what waits. */
const OTHERS_LEAVE = 100;

/** How long a worker may take to give its metrics, in milliseconds: a scrape does not wait for one that is stuck. */
const METRICS_WITHIN = 1000;

/**
 * Lets the system choose a port. If each worker were given port 0, they would share a port too, but a different one
 * after the last of them has ended. If the host cannot be used, the workers report the error.
 */
const choosePort = async (host: string): Promise<string> => {
  const server = createServer().listen(0, host);
  await once(server, 'listening').catch(() => {});
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? `${address.port}` : '0';
};

/** A worker, as the process that has started it sees it. */
interface Member {
  readonly call: Call<MemberCalls>;
  /** A worker does not listen while it starts, or while it stops. It hears calls once it has listened. */
  phase: 'starting' | 'listening' | 'stopping';
}

/** How a worker has ended. */
interface Ending {
  readonly code?: number | null;
  readonly signal?: string | null;
  readonly err?: unknown;
}

/** Creates a turn that one worker has at a time, until it gives it back or ends. The next one is the oldest that waits. */
const createTurn = () => {
  const queue: { readonly worker: Worker; readonly begin: () => void }[] = [];
  return {
    /** Settles once the worker has the turn, or does not want it any more. */
    take: (worker: Worker): Promise<void> =>
      new Promise((resolve) => {
        queue.push({ worker, begin: resolve });
        queue[0]?.begin();
      }),
    /** Ends the turn of a worker, or its wait for it. */
    end(worker: Worker): void {
      const index = queue.findIndex((each) => each.worker === worker);
      if (index >= 0) queue.splice(index, 1)[0]?.begin();
      queue[0]?.begin();
    },
  };
};

type Members = Map<Worker, Member>;

const collectInTime = ({ call }: Member): Promise<object[]> =>
  Promise.race([call('collectMetrics'), sleep(METRICS_WITHIN, [], { ref: false })]).catch(() => []); // it has ended

/** Creates the calls that a worker can make. */
const createCalls = (members: Members, turn: ReturnType<typeof createTurn>) => {
  const own = createMetrics();
  return (worker: Worker): GroupCalls => ({
    async leave() {
      const member = members.get(worker);
      if (member) member.phase = 'stopping';
      const isLast = ![...members.values()].some(({ phase }) => phase === 'listening');
      if (isLast && members.size > 1) await sleep(OTHERS_LEAVE);
      return isLast;
    },
    takeTurn: () => turn.take(worker),
    endTurn: async () => turn.end(worker),
    async renderMetrics() {
      const started = [...members.values()].filter(({ phase }) => phase !== 'starting');
      return renderMetrics(await Promise.all([own.collect(), ...started.map(collectInTime)]));
    },
  });
};

/** Kills workers that are suspended or stuck, whatever they wait for. */
const killLate = (members: Members, log: OpenLog['log']): void => {
  for (const { process: late } of members.keys()) {
    log.warn({ worker: late.pid }, 'a worker did not stop in time and is killed');
    late.kill('SIGKILL');
  }
};

/**
 * Starts workers that serve behind one port, and replaces those that end. The workers accept from one socket: each takes a
 * connection when it has time, and the backlog outlives them. SIGTERM and SIGINT stop the group.
 */
export const startGroup = async (config: Config): Promise<void> => {
  if (config.databaseUrl === 'memory:')
    throw new Error('WORKERS must be 1 with memory:, since each process has its own memory');
  const { log, flush } = await openLog(config);
  const members: Members = new Map();
  const turn = createTurn();
  const callsOf = createCalls(members, turn);
  const nextPause = createBackoff();
  const port = config.port === 0 ? await choosePort(config.host) : `${config.port}`;
  let isServing = false; // once the first worker listens
  let isStopping = false;
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ serialization: 'advanced' });

  const end = (): void => {
    log.info('stopped');
    endProcess(flush);
  };

  const onEnded = async (worker: Worker, ranFor: number, how: Ending): Promise<void> => {
    members.delete(worker);
    turn.end(worker);
    if (isStopping) return members.size === 0 ? end() : undefined;
    if (!isServing) {
      if (how.code !== 1) log.fatal(how, 'cannot start: the first worker has ended'); // with 1 it has told why
      process.exit(1);
    }
    const pause = nextPause(ranFor);
    log.warn({ worker: worker.process.pid, ...how, pause }, 'a worker has ended; another one starts');
    flush();
    await sleep(pause);
    if (!isStopping) start();
  };

  const start = (): void => {
    const begun = performance.now();
    const worker = cluster.fork({ PORT: port });
    const member: Member = { call: createLink(worker, callsOf(worker)), phase: 'starting' };
    members.set(worker, member);
    const ended = (how: Ending) => void onEnded(worker, performance.now() - begun, how);
    worker.once('exit', (code: number | null, signal: string | null) => ended({ code, signal }));
    // Without a process there is no exit: the system may have too many of them.
    if (worker.process.pid === undefined) worker.process.once('error', (err) => ended({ err }));
    worker.once('listening', () => {
      member.phase = 'listening';
      if (isServing || isStopping) return;
      isServing = true; // the first has made what several must not make at once
      while (members.size < config.workers) start();
    });
  };

  onStopSignal((signal) => {
    isStopping = true;
    log.info({ signal }, 'stopping');
    for (const worker of members.keys()) worker.process.kill('SIGTERM'); // one that does not listen yet ends at once
    setTimeout(() => killLate(members, log), config.drainMs + STOP_WITHIN).unref();
    if (members.size === 0) end();
  });
  start();
};
