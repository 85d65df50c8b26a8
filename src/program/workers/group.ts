import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSqliteOwner } from '../../engines/sqlite/shared/owner.ts';
import type { Config } from '../config.ts';
import { openLog } from '../open-log.ts';
import { createBackoff } from './backoff.ts';
import { createGroupMetrics } from './group-metrics.ts';
import { type Call, createLink } from './link.ts';
import type { MemberCalls } from './protocol.ts';

interface Member {
  readonly call: Call<MemberCalls>;
  /** A worker does not listen while it starts, or while it stops. */
  listens: boolean;
  /** Settles once the worker will never listen again. */
  readonly left: Promise<void>;
  readonly onLeft: () => void;
}

/** How long the last worker waits for the others to stop listening, in milliseconds: one may be stuck. */
const LEAVE_WITHIN = 2000;

/** How long the last log lines may take to be read, in milliseconds. */
const LAST_LINES = 1000;

/**
 * Lets the system choose a port. Workers that were each told 0 would share a port too, but another one after the last of
 * them has ended. If the host cannot be used, a worker says so.
 */
const choosePort = async (host: string): Promise<string> => {
  const server = createServer().listen(0, host);
  await once(server, 'listening').catch(() => {});
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? `${address.port}` : '0';
};

/**
 * Starts workers that serve behind one port, replaces those that end, and owns the files of the store for all of them.
 * The workers accept from one socket: each takes a connection when it has time, and the backlog outlives them. SIGTERM
 * and SIGINT stop the group. SIGUSR2 replaces the workers one after the other, and the service goes on.
 */
export const startGroup = async (config: Config): Promise<void> => {
  const { log, flush } = await openLog(config);
  const metrics = createGroupMetrics<Worker>();
  const owner = createSqliteOwner();
  const members = new Map<Worker, Member>();
  /** Workers that are not replaced when they end. */
  const spare = new WeakSet<Worker>();
  const nextPause = createBackoff();
  const port = config.port === 0 ? await choosePort(config.host) : `${config.port}`;
  let isStopping = false;
  let isRestarting = false;
  let onComplete = () => {};
  const complete = new Promise<void>((resolve) => {
    onComplete = resolve;
  });
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ serialization: 'advanced' });

  const countListening = (): number => [...members.values()].filter(({ listens }) => listens).length;
  const collectorOf =
    ({ call }: Member) =>
    () =>
      call('collectMetrics', undefined);

  const callsFor = (worker: Worker) => ({
    askOwner: owner.answer,
    complete: () => complete,
    async leave(): Promise<boolean> {
      const member = members.get(worker);
      if (member) await metrics.collectFrom(worker, collectorOf(member));
      if (member) member.listens = false;
      if (countListening() > 0) return false;
      const others = [...members.values()].filter((each) => each !== member);
      const allLeft = Promise.all(others.map(({ left }) => left));
      await Promise.race([allLeft, sleep(LEAVE_WITHIN, undefined, { ref: false })]);
      return true;
    },
    left: async () => members.get(worker)?.onLeft(),
    renderMetrics: () =>
      metrics.render(Array.from(members, ([each, member]) => [each, collectorOf(member)] as const)),
  });

  const end = async (): Promise<void> => {
    await owner.close();
    log.info('stopped');
    flush();
    setTimeout(() => process.exit(), LAST_LINES).unref();
  };

  const start = (): Worker => {
    const started = performance.now();
    const worker = cluster.fork({ PORT: port });
    let onLeft = () => {};
    const left = new Promise<void>((resolve) => {
      onLeft = resolve;
    });
    const member: Member = { call: createLink(worker, callsFor(worker)), listens: false, left, onLeft };
    members.set(worker, member);
    worker.once('listening', () => {
      member.listens = true;
      if (countListening() === config.workers) onComplete();
    });
    worker.once('exit', async (code: number | null, signal: string | null) => {
      members.delete(worker);
      onLeft();
      metrics.keepTotals(worker);
      if (isStopping && members.size === 0) await end();
      if (isStopping || spare.has(worker)) return;
      const pause = nextPause(performance.now() - started);
      log.warn({ worker: worker.process.pid, code, signal, pause }, 'a worker has ended; another one starts');
      flush();
      await sleep(pause);
      if (!isStopping) start();
    });
    return worker;
  };

  /** Starts a worker, and gives whether it has come to listen. Nobody replaces it until then. */
  const startOne = async (): Promise<boolean> => {
    const worker = start();
    spare.add(worker);
    await Promise.race([once(worker, 'listening'), once(worker, 'exit')]);
    const listens = members.get(worker)?.listens ?? false;
    if (listens) spare.delete(worker);
    return listens;
  };

  const restart = async (): Promise<void> => {
    isRestarting = true;
    log.info('the workers are replaced one after the other');
    for (const [worker, { call }] of [...members]) {
      if (isStopping || !(await startOne())) break;
      spare.add(worker);
      await call('stop', undefined).catch(() => {}); // it may have ended by itself
      if (!worker.isDead()) await once(worker, 'exit');
    }
    isRestarting = false;
  };

  const stop = (signal: NodeJS.Signals): void => {
    for (const each of ['SIGTERM', 'SIGINT']) process.off(each, stop); // a second signal ends this process, and so the workers
    isStopping = true;
    log.info({ signal }, 'stopping');
    for (const { call } of members.values()) call('stop', undefined).catch(() => {});
    if (members.size === 0) void end();
  };
  for (const each of ['SIGTERM', 'SIGINT']) process.on(each, stop);
  process.on('SIGUSR2', () => {
    if (!isRestarting) void restart();
  });

  // The first has made what several must not make at once, and has told why if it cannot start.
  if (!(await startOne()) && !isStopping) process.exit(1);
  while (members.size < config.workers && !isStopping) start();
};
