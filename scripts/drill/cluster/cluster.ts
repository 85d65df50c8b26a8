import { spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import pg from 'pg';
import { queryPostgres } from '../../support/query.ts';
import { MAIN, type ServiceProcess, startProcess } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { processesIn, signal } from '../../support/usage.ts';
import { settingsFor } from '../settings.ts';
import { openNetwork } from './network.ts';
import { DATABASES, MACHINES, type Machine, renderRecipe, SERVICES } from './recipe.ts';

/** The leader, or the replica that its commits wait for. */
export type Role = 'primary' | 'synchronous';

/** How soon another machine must take over, and a repair must end, in milliseconds: a busy machine takes minutes. */
const WITHIN = 300_000;

/** Starts the cluster of docs/deploy/cluster in a folder, and two services on it. */
export const startCluster = async (folder: string) => {
  await chmod(folder, 0o755); // PostgreSQL runs as another user
  const network = openNetwork(MACHINES);
  const { prefix, range } = network;
  const folderOf = (machine: Machine, program = ''): string => join(folder, machine, program);
  const processes = (machine: Machine, programs: readonly string[]): number[] =>
    programs.flatMap((program) => processesIn(folderOf(machine, program)));
  const signalAll = (pids: readonly number[], name: NodeJS.Signals): void => {
    for (const pid of pids) signal(pid, name);
  };
  const clean = (): void => {
    signalAll(processesIn(folder), 'SIGKILL');
    network.close();
  };
  process.once('exit', clean);

  const recipe = (file: string, machine: Machine): Promise<string> =>
    renderRecipe(file, machine, { folder: folderOf(machine), prefix, range });
  /** Runs a program on a machine in a folder of its own, as a user, by setpriv(1). */
  const run = (machine: Machine, program: string, user: string, args: readonly string[], env = {}): void => {
    const as = user === 'root' ? [] : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'];
    const [command = '', ...rest] = [...network.on(machine), ...as, program, ...args];
    const cwd = folderOf(machine, program);
    const log = openSync(`${cwd}.log`, 'a');
    spawn(command, rest, { cwd, env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', log, log] });
    closeSync(log);
  };
  const start = {
    etcd: async (machine: Machine) =>
      run(machine, 'etcd', 'postgres', [], parseEnv(await recipe('etcd.env', machine))),
    patroni: async (machine: Machine) => run(machine, 'patroni', 'postgres', ['../patroni.yml']),
    haproxy: async (machine: Machine) => run(machine, 'haproxy', 'root', ['-db', '-f', '../haproxy.cfg']),
  };
  const services = new Map<Machine, ServiceProcess>();
  const startService = async (machine: Machine): Promise<void> => {
    const settings = parseEnv(await recipe('plant-store.env', machine));
    const [node = '', ...flags] = [...network.on(machine), process.execPath];
    const all = { ...settingsFor(''), ...settings, WORKERS: process.env.WORKERS ?? '1' };
    services.set(machine, await startProcess(folderOf(machine, 'service'), all, MAIN, { node, flags }));
  };
  const urlOf = (user: string, database: string): string =>
    `postgres://${user}:change-me@${prefix}${MACHINES.app1}:5432/${database}`;

  /** Asks a program on a machine. */
  const ask = async (machine: Machine, path: string): Promise<{ ok: boolean; text: string }> => {
    try {
      const url = `http://${prefix}${MACHINES[machine]}${path}`;
      const reply = await fetch(url, { signal: AbortSignal.timeout(1000) });
      return { ok: reply.ok, text: await reply.text() };
    } catch {
      return { ok: false, text: '' };
    }
  };
  /** The machines of which Patroni says so. */
  const those = async (role: Role): Promise<Machine[]> => {
    const replies = await Promise.all(DATABASES.map((machine) => ask(machine, `:8008/${role}`)));
    return DATABASES.filter((_, nth) => replies[nth]?.ok);
  };
  const theOne = async (role: Role): Promise<Machine> => {
    const [one, ...others] = await those(role);
    if (!one || others.length > 0) throw new Error(`not one ${role}, but ${[one, ...others]}`);
    return one;
  };
  const isWhole = async (): Promise<boolean> => {
    const [leaders, replicas] = [await those('primary'), await those('synchronous')];
    const members = await Promise.all(DATABASES.map((machine) => ask(machine, ':8008/patroni')));
    const timelines = members.map(({ text }) => /"state": "running".*"timeline": (\d+)/s.exec(text)?.[1]);
    const checks = [
      ...DATABASES.map((machine) => ask(machine, ':2379/health')),
      ...SERVICES.map((machine) => ask(machine, ':3000/readyz')),
    ];
    const isServed = (await Promise.all(checks)).every(({ ok }) => ok);
    return (
      leaders.length + replicas.length === 2 && isServed && new Set(timelines).size === 1 && !!timelines[0]
    );
  };

  const cluster = {
    network,
    start: { ...start, service: startService },
    signal: (machine: Machine, programs: readonly string[], name: NodeJS.Signals) =>
      signalAll(processes(machine, programs), name),
    /** Kills programs of a machine: PostgreSQL is one of its own, which survives Patroni. */
    kill: (machine: Machine, programs: readonly string[]): Promise<void> =>
      until(`${programs} of ${machine} are gone`, () => {
        signalAll(processes(machine, programs), 'SIGKILL');
        return processes(machine, programs).length === 0;
      }),
    theOne,
    untilAnotherIs: (role: Role, than: Machine): Promise<void> =>
      until(`another one is ${role}`, async () => (await those(role)).some((each) => each !== than), WITHIN),
    untilWhole: (): Promise<void> => until('the cluster is whole', isWhole, WITHIN),
    targets: (): readonly string[] => SERVICES.map((machine) => `http://${prefix}${MACHINES[machine]}:8080`),
    query: (sql: string) => queryPostgres(urlOf('plants', 'plants'), sql),
    async end(): Promise<void> {
      clean();
      process.off('exit', clean);
      await Promise.all([...services.values()].map(({ end }) => end('SIGKILL')));
      await until('no process is left', () => processesIn(folder).length === 0);
    },
  };
  try {
    for (const machine of DATABASES) {
      for (const program of ['etcd', 'patroni', 'postgresql'])
        await mkdir(folderOf(machine, program), { recursive: true });
      await writeFile(folderOf(machine, 'patroni.yml'), await recipe('patroni.yml', machine));
      spawnSync('chown', ['-R', 'postgres:', folderOf(machine)]);
      await start.etcd(machine);
      await start.patroni(machine);
    }
    for (const machine of SERVICES) {
      for (const program of ['haproxy', 'service'])
        await mkdir(folderOf(machine, program), { recursive: true });
      await writeFile(folderOf(machine, 'haproxy.cfg'), await recipe('haproxy.cfg', machine));
      await start.haproxy(machine);
    }
    await until('a leader is there', async () => (await those('synchronous')).length === 1, WITHIN);
    const admin = new pg.Client(urlOf('postgres', 'postgres'));
    await admin.connect();
    await admin.query("CREATE ROLE plants LOGIN PASSWORD 'change-me'");
    await admin.query('CREATE DATABASE plants OWNER plants');
    await admin.end();
    await Promise.all(SERVICES.map(startService));
    await cluster.untilWhole();
  } catch (error) {
    await cluster.end();
    throw error;
  }
  return cluster;
};

/** A running cluster. */
export type Cluster = Awaited<ReturnType<typeof startCluster>>;
