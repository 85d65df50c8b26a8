import { spawnSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import pg from 'pg';
import { queryPostgres } from '../../support/query.ts';
import { MAIN, type ServiceProcess, startProcess } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { processesIn } from '../../support/usage.ts';
import { settingsFor } from '../settings.ts';
import { createMachines, type Machines } from './machines.ts';
import { DATABASES, type Machine, SERVICES } from './recipe.ts';
import { createState, type Role } from './state.ts';

/** Milliseconds within which another machine must take over, and a repair must end: a busy machine takes minutes. */
const WITHIN = 300_000;

/** Creates functions that start the programs of the recipe. */
const createStart = ({ run, recipe, network, folderOf }: Machines) => ({
  etcd: async (machine: Machine) =>
    run(machine, 'etcd', 'postgres', [], parseEnv(await recipe('etcd.env', machine))),
  patroni: async (machine: Machine) => run(machine, 'patroni', 'postgres', ['../patroni.yml']),
  haproxy: async (machine: Machine) => run(machine, 'haproxy', 'root', ['-db', '-f', '../haproxy.cfg']),
  async service(machine: Machine): Promise<ServiceProcess> {
    const settings = parseEnv(await recipe('plant-store.env', machine));
    const [node = '', ...flags] = [...network.on(machine), process.execPath];
    const all = { ...settingsFor(''), ...settings, WORKERS: process.env.WORKERS ?? '1' };
    return startProcess(folderOf(machine, 'service'), all, MAIN, { node, flags });
  },
});

/** Makes a folder for each program of a machine, and writes a file of the recipe. */
const prepare = async (
  { folderOf, recipe }: Machines,
  machine: Machine,
  file: string,
  programs: readonly string[],
): Promise<void> => {
  for (const program of programs) await mkdir(folderOf(machine, program), { recursive: true });
  await writeFile(folderOf(machine, file), await recipe(file, machine));
};

const createDatabase = async (url: string): Promise<void> => {
  const admin = new pg.Client(url);
  await admin.connect();
  await admin.query("CREATE ROLE plants LOGIN PASSWORD 'change-me'");
  await admin.query('CREATE DATABASE plants OWNER plants');
  await admin.end();
};

/** Starts the cluster of docs/deploy/cluster in a folder, and two services on it. */
export const startCluster = async (folder: string) => {
  await chmod(folder, 0o755); // PostgreSQL runs as another user
  const machines = createMachines(folder);
  const { network, signal, kill, urlOf, databaseUrl, folderOf, clean } = machines;
  process.once('exit', clean);
  const { machinesAs, theOne, isWhole } = createState(urlOf);
  const programs = createStart(machines);
  const services = new Map<Machine, ServiceProcess>();
  const start = {
    ...programs,
    service: async (machine: Machine) => void services.set(machine, await programs.service(machine)),
  };
  const cluster = {
    network,
    start,
    signal,
    kill,
    theOne,
    untilAnotherIs: (role: Role, than: Machine): Promise<void> =>
      until(
        `another one is ${role}`,
        async () => (await machinesAs(role)).some((each) => each !== than),
        WITHIN,
      ),
    untilWhole: (): Promise<void> => until('the cluster is whole', isWhole, WITHIN),
    targets: (): readonly string[] => SERVICES.map((machine) => urlOf(machine, 8080)),
    query: (sql: string) => queryPostgres(databaseUrl('plants', 'plants'), sql),
    async end(): Promise<void> {
      clean();
      process.off('exit', clean);
      await Promise.all([...services.values()].map(({ end }) => end('SIGKILL')));
      await until('no process is left', () => processesIn(folder).length === 0);
    },
  };
  try {
    for (const machine of DATABASES) {
      await prepare(machines, machine, 'patroni.yml', ['etcd', 'patroni', 'postgresql']);
      spawnSync('chown', ['-R', 'postgres:', folderOf(machine)]);
      await start.etcd(machine);
      await start.patroni(machine);
    }
    for (const machine of SERVICES) {
      await prepare(machines, machine, 'haproxy.cfg', ['haproxy', 'service']);
      await start.haproxy(machine);
    }
    await until('a leader is there', async () => (await machinesAs('synchronous')).length === 1, WITHIN);
    await createDatabase(databaseUrl('postgres', 'postgres'));
    await Promise.all(SERVICES.map(start.service));
    await cluster.untilWhole();
  } catch (error) {
    await cluster.end();
    throw error;
  }
  return cluster;
};

/** A running cluster. */
export type Cluster = Awaited<ReturnType<typeof startCluster>>;
