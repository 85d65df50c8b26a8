import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../support/postgres.ts';
import { environmentOf, type ServiceProcess, type Settings } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { childrenOf, processesIn, signal } from '../../support/usage.ts';
import { type Chance, createChance } from '../chance.ts';
import { settingsFor, TOKEN } from '../settings.ts';
import { type Fault, type Fleet, openSqlite, sceneOn } from './scene.ts';

/** Milliseconds that a stop may take: the drain, the limit of docs/how-to/deploy.md, and a margin for a busy machine. */
const DRAIN = 300;
const STOP_WITHIN = DRAIN + 20_000 + 5000;
/** How soon after the end of the parent no process may be left, in milliseconds. */
const GONE_WITHIN = 5000;

/** The files of the service. It reaches its store by a link, because only a link can be swapped at once. */
const filesIn = (folder: string) => {
  const link = join(folder, 'link');
  let links = 0;
  return {
    link,
    store: join(folder, 'store'),
    tokens: join(folder, 'tokens'),
    async linkStore(target: string): Promise<void> {
      links += 1;
      const next = `${link}-${links}`;
      await symlink(target, next);
      await rename(next, link);
    },
  };
};

/** The context of the injuries of a round. */
interface InjuryContext {
  readonly service: ServiceProcess;
  readonly files: ReturnType<typeof filesIn>;
  readonly chance: Chance;
}

/** Suspends a process for a while. */
const suspend = async (pid: number | undefined): Promise<void> => {
  signal(pid, 'SIGSTOP');
  await sleep(300);
  signal(pid, 'SIGCONT');
};

const workerOf = ({ service, chance }: InjuryContext): number | undefined => {
  const workers = childrenOf(service.pid);
  return workers[chance.between(0, workers.length - 1)];
};

const GOOD = `drill:${TOKEN}\n`;
const BAD = `${GOOD}one:two:sha256:three\n::\n`;

/** What can happen to a service of several workers. An injury that heals by itself settles once it has. */
const INJURIES: Readonly<Record<string, (context: InjuryContext) => Promise<void> | void>> = {
  killWorker: (context) => signal(workerOf(context), 'SIGKILL'),
  stopWorker: (context) => signal(workerOf(context), 'SIGTERM'),
  pauseWorker: (context) => suspend(workerOf(context)),
  freezeWorker: (context) => signal(workerOf(context), 'SIGSTOP'), // permanently
  pauseParent: ({ service }) => suspend(service.pid),
  /** The threads that write end, because their file is no longer there. No others can start for a while. */
  async endWriters({ files }) {
    await files.linkStore(files.tokens);
    await sleep(300);
    await files.linkStore(files.store);
  },
  editTokens: ({ files: { tokens }, chance }) => writeFile(tokens, chance.pick(GOOD, BAD)),
  async replaceTokens({ files: { tokens }, chance }) {
    await writeFile(`${tokens}.new`, chance.pick(GOOD, BAD));
    await rename(`${tokens}.new`, tokens);
  },
};

/** Kills the parent of a service. Workers that are suspended end when they wake up. */
const killParent = (service: ServiceProcess, folder: string): ReturnType<ServiceProcess['end']> => {
  const ended = service.end('SIGKILL');
  for (const pid of processesIn(folder)) signal(pid, 'SIGCONT');
  return ended;
};

/** Ends a service and everything that it has started, within the limits. */
const endWithin = async (ended: Promise<unknown>, folder: string): Promise<void> => {
  let isOver = false;
  void ended.finally(() => {
    isOver = true;
  });
  await until('it ends', () => isOver, STOP_WITHIN);
  await until('no process is left', () => processesIn(folder).length === 0, GONE_WITHIN);
};

/** Starts a service, and ends it whether it serves yet or not. */
const startFalsely = async (
  program: string,
  folder: string,
  settings: Settings,
  { pick, between }: Chance,
): Promise<void> => {
  const env = environmentOf(settings);
  const child = spawn(process.execPath, [program], { cwd: folder, env, stdio: 'ignore' });
  const exited = once(child, 'exit');
  await sleep(between(0, 600));
  child.kill(pick('SIGTERM', 'SIGKILL'));
  await endWithin(exited, folder);
};

/** Whatever can happen to a service of two workers, at random moments; then it is ended, and starts again. */
export const CHAOS: Fault = {
  name: 'chaos',
  title: 'chaos: random faults of a service of 2 workers, SQLite',
  mayDrop: true,
  async set(folder, seed, subject) {
    const program = await subject.program();
    const files = filesIn(folder);
    const { store, tokens, link } = files;
    await mkdir(store);
    await files.linkStore(store);
    await writeFile(tokens, GOOD);
    const settings = {
      ...subject.settings(folder), // which the link must not hide
      WORKERS: '2',
      PORT: `${await freePort()}`, // the same one for each start: it must be free again
      DRAIN_MS: `${DRAIN}`,
      ACCESS_TOKENS: '',
      ACCESS_TOKENS_FILE: tokens,
    };
    let round = 1;
    let chance = createChance(seed, `round ${round}`);

    const rounds = (fleet: Fleet, { url }: { readonly url: string }) => ({
      async strike() {
        const service = fleet.oldest();
        const healing: (Promise<void> | void)[] = [];
        for (let injuries = chance.between(1, 5); injuries > 0; injuries -= 1) {
          const name = chance.pick(...Object.keys(INJURIES));
          await sleep(chance.between(0, 400));
          healing.push(INJURIES[name]?.({ service, files, chance }));
        }
        await sleep(chance.between(0, 400));
        const isKilled = chance.oneIn(3);
        await endWithin(
          fleet.endOldest((each) => (isKilled ? killParent(each, store) : each.end())),
          store,
        );
        await Promise.all(healing);
      },
      async mend() {
        await writeFile(tokens, GOOD); // a first start refuses a line with an error
        if (!chance.oneIn(6))
          await startFalsely(program, store, { ...settingsFor(url), ...settings }, chance);
        await fleet.add();
        round += 1;
        chance = createChance(seed, `round ${round}`);
      },
    });
    const scene = await sceneOn(openSqlite, 1, rounds, settings)(link, seed, subject);
    const end = async (): Promise<void> => {
      for (const pid of processesIn(store)) signal(pid, 'SIGKILL'); // a suspended orphan would keep the log open
      await scene.end();
    };
    return { ...scene, end };
  },
};
