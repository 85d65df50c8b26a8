import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBackoff } from '../../background/backoff.ts';
import { createSqliteOwner } from '../../engines/sqlite/shared/owner.ts';
import type { Config } from '../config.ts';
import { openLog } from '../log/log.ts';
import { createGroupMetrics } from './group-metrics.ts';
import { startGuard } from './guard.ts';
import { createTurn } from './turn.ts';
import { startWorkerProcess, type WorkerProcess } from './worker-process.ts';

/** How long a worker may take to start beside others, in milliseconds. */
const START_WITHIN = 60_000;

/** How long a worker may take to stop after the drain, in milliseconds. Requests under way have 10 s of it. */
const STOP_WITHIN = 20_000;

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
  const members = new Set<WorkerProcess>();
  const turn = createTurn<WorkerProcess>();
  const nextPause = createBackoff();
  const port = config.port === 0 ? await choosePort(config.host) : `${config.port}`;
  /** Whether the first worker has come to listen. */
  let isServing = false;
  let isStopping = false;
  /** How many times the workers are still to be replaced, the present time included. */
  let replacements = 0;
  let isAnnounced = false;
  let onComplete = () => {};
  const complete = new Promise<void>((resolve) => {
    onComplete = resolve;
  });
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ serialization: 'advanced' });

  const countListening = (): number => [...members].filter(({ phase }) => phase === 'listening').length;
  const isShort = (): boolean => [...members].filter(({ isLeaving }) => !isLeaving).length < config.workers;
  const updateGuard = (): void => guard([...members].flatMap(({ worker }) => worker.process.pid ?? []));
  const collectorOf =
    ({ call }: WorkerProcess) =>
    () =>
      call('collectMetrics', undefined);

  const callsFor = (find: () => WorkerProcess) => ({
    askOwner: owner.answer,
    async complete(): Promise<boolean> {
      await complete;
      const isFirst = !isAnnounced;
      isAnnounced = true;
      return isFirst;
    },
    async leave(): Promise<boolean> {
      const member = find();
      await metrics.collectFrom(member.worker, collectorOf(member));
      member.phase = 'stopping';
      if (countListening() > 0) return false;
      const allLeft = Promise.all([...members].filter((each) => each !== member).map(({ left }) => left));
      await Promise.race([allLeft, sleep(LEAVE_WITHIN, undefined, { ref: false })]);
      return true;
    },
    left: async () => find().onLeft(),
    takeTurn: () => turn.take(find()),
    endTurn: async () => turn.end(find()),
    renderMetrics: () =>
      metrics.render(
        [...members]
          .filter(({ phase }) => phase !== 'starting')
          .map((member) => [member.worker, collectorOf(member)] as const),
      ),
  });

  /** Kills a worker that does not end within a time, whatever it waits for: it may be suspended. */
  const endWithin = ({ worker, ended }: WorkerProcess, limit: number, reason: string): (() => void) => {
    const deadline = setTimeout(() => {
      log.warn({ worker: worker.process.pid }, reason);
      flush();
      worker.process.kill('SIGKILL');
    }, limit);
    const cancel = () => clearTimeout(deadline);
    void ended.then(cancel);
    return cancel;
  };

  /** Tells a worker to stop. One that does not listen yet ends at once. */
  const stopOne = (member: WorkerProcess): void => {
    member.isLeaving = true;
    member.worker.process.kill('SIGTERM');
    endWithin(member, config.drainMs + STOP_WITHIN, 'a worker did not stop in time and is killed');
  };

  const end = async (): Promise<void> => {
    await owner.close();
    log.info('stopped');
    flush();
    setTimeout(() => process.exit(), LAST_LINES).unref();
  };

  const onEnded = async (member: WorkerProcess, ranFor: number, how: object): Promise<void> => {
    const { worker } = member;
    members.delete(member);
    turn.end(member);
    updateGuard();
    metrics.keepTotals(worker);
    if (isStopping && members.size === 0) await end();
    if (isStopping || !isServing || !isShort()) return;
    const pause = nextPause(ranFor);
    log.warn({ worker: worker.process.pid, ...how, pause }, 'a worker has ended; another one starts');
    flush();
    await sleep(pause);
    if (!isStopping && isShort()) start();
  };

  const start = (): WorkerProcess => {
    const begun = performance.now();
    const member = startWorkerProcess(port, callsFor);
    members.add(member);
    updateGuard();
    const inTime = isServing
      ? endWithin(member, START_WITHIN, 'a worker did not start in time and is killed')
      : () => {}; // the first may have to change the schema of a large store
    void member.started.then((isStarted) => {
      inTime();
      if (isStarted && countListening() === config.workers) onComplete();
    });
    void member.ended.then((how) => onEnded(member, performance.now() - begun, how));
    return member;
  };

  /** Replaces each worker that there is. One that ends by itself meanwhile is replaced anyway. */
  const replaceAll = async (): Promise<void> => {
    log.info('the workers are replaced one after the other');
    for (const member of [...members]) {
      if (isStopping) return;
      if (!members.has(member)) continue;
      const isReplaced = await start().started;
      if (isStopping) return;
      if (!isReplaced) {
        log.warn(
          'the workers are no longer replaced, because a new one did not start; those that serve go on',
        );
        return flush();
      }
      if (members.has(member)) stopOne(member);
      await member.ended;
    }
    log.info('the workers are replaced');
  };

  const stop = (signal: NodeJS.Signals): void => {
    for (const each of ['SIGTERM', 'SIGINT']) process.off(each, stop); // a second signal ends this process, and so the workers
    isStopping = true;
    log.info({ signal }, 'stopping');
    for (const member of members) stopOne(member);
    if (members.size === 0) void end();
  };
  for (const each of ['SIGTERM', 'SIGINT']) process.on(each, stop);
  process.on('SIGUSR2', async () => {
    if (!isServing) return; // all of them are about to start
    replacements = Math.min(replacements + 1, 2); // once more after this time: a newer build may have been installed
    if (replacements > 1) return;
    for (; replacements > 0; replacements -= 1) await replaceAll();
  });

  const guard = startGuard((how) => log.warn(how, 'the guard of the workers has ended; another one starts'));
  // The first has made what several must not make at once, and has told why if it cannot start.
  isServing = await start().started;
  if (!isServing && !isStopping) process.exit(1);
  while (isShort() && !isStopping) start();
};
