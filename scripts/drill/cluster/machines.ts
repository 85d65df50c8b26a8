import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../support/until.ts';
import { processesIn, signal } from '../../support/usage.ts';
import { openNetwork } from './network.ts';
import { MACHINES, type Machine, renderRecipe } from './recipe.ts';

/** Creates the machines of the cluster: network namespaces, each with folders for its programs. */
export const createMachines = (folder: string) => {
  const network = openNetwork(MACHINES);
  const { prefix, range } = network;
  const folderOf = (machine: Machine, program = ''): string => join(folder, machine, program);
  const signalAll = (machine: Machine, programs: readonly string[], name: NodeJS.Signals): number => {
    const pids = programs.flatMap((program) => processesIn(folderOf(machine, program)));
    for (const pid of pids) signal(pid, name);
    return pids.length;
  };
  return {
    network,
    folderOf,
    urlOf: (machine: Machine, port: number): string => `http://${prefix}${MACHINES[machine]}:${port}`,
    databaseUrl: (user: string, database: string): string =>
      `postgres://${user}:change-me@${prefix}${MACHINES.app1}:5432/${database}`,
    /** Reads a file of the recipe for a machine. */
    recipe: (file: string, machine: Machine): Promise<string> =>
      renderRecipe(file, machine, { folder: folderOf(machine), prefix, range }),
    /** Runs a program on a machine in its folder, as a user, by setpriv(1). */
    run(machine: Machine, program: string, user: string, args: readonly string[], env = {}): void {
      const as = user === 'root' ? [] : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'];
      const [command = '', ...rest] = [...network.on(machine), ...as, program, ...args];
      const cwd = folderOf(machine, program);
      const log = openSync(`${cwd}.log`, 'a');
      spawn(command, rest, { cwd, env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', log, log] });
      closeSync(log);
    },
    signal: signalAll,
    /** Kills programs of a machine. PostgreSQL is separate from Patroni, and survives it. */
    kill: (machine: Machine, programs: readonly string[]): Promise<void> =>
      until(`${programs} of ${machine} have exited`, () => signalAll(machine, programs, 'SIGKILL') === 0),
    /** Kills all processes, and removes the network. */
    clean(): void {
      for (const pid of processesIn(folder)) signal(pid, 'SIGKILL');
      network.close();
    },
  };
};

/** The machines of a cluster. */
export type Machines = ReturnType<typeof createMachines>;
