import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, startCluster } from '../cluster/cluster.ts';
import { whyNoNetwork } from '../cluster/network.ts';
import { DATABASES, type Machine, SERVICES, whyNoCluster } from '../cluster/recipe.ts';
import type { Role } from '../cluster/state.ts';
import type { Fault, Round } from './scene.ts';

/** Breaks a machine of the cluster, or repairs it. */
type Deed = (cluster: Cluster, machine: Machine) => Promise<unknown> | unknown;

/** Strikes the machine that has a role, until another machine has it. */
const onThe =
  (role: Role, strike: Deed, mend: Deed) =>
  (cluster: Cluster): Round => {
    let machine: Machine;
    return {
      async strike() {
        machine = await cluster.theOne(role);
        await strike(cluster, machine);
        await cluster.untilAnotherIs(role, machine);
      },
      mend: () => mend(cluster, machine),
    };
  };

/** Strikes some machines in turn, each for `during` milliseconds. */
const inTurn =
  (machines: readonly Machine[], during: number, strike: Deed, mend: Deed) =>
  (cluster: Cluster): Round => {
    let rounds = 0;
    const machine = () => machines[rounds % machines.length] ?? 'db1';
    return {
      async strike() {
        await strike(cluster, machine());
        await sleep(during);
      },
      async mend() {
        await mend(cluster, machine());
        rounds += 1;
      },
    };
  };

const kill =
  (...programs: readonly string[]): Deed =>
  (cluster, machine) =>
    cluster.kill(machine, programs);
const start =
  (program: keyof Cluster['start']): Deed =>
  (cluster, machine) =>
    cluster.start[program](machine);
const send =
  (signal: NodeJS.Signals): Deed =>
  (cluster, machine) =>
    cluster.signal(machine, ['etcd', 'patroni', 'postgresql'], signal);
const othersThan = (machine: Machine) => DATABASES.filter((each) => each !== machine);

/** A fault of the cluster. Its repair ends when the cluster is whole again. */
const fault = (
  name: string,
  title: string,
  rounds: (cluster: Cluster) => Round,
  more: Pick<Fault, 'mayDrop'> = {},
): Fault => ({
  name: `cluster-${name}`,
  title: `cluster: ${title}`,
  only: 'plants',
  whyNot: () => whyNoCluster() ?? whyNoNetwork(),
  ...more,
  async set(folder) {
    const cluster = await startCluster(folder);
    const { strike, mend } = rounds(cluster);
    const mendAll = async () => {
      await mend();
      await cluster.untilWhole();
    };
    return { ...cluster, strike, mend: mendAll };
  },
});

/** Every fault of the cluster, in the order of the drill. */
export const CLUSTER: readonly Fault[] = [
  fault(
    'leader',
    'kill -9 of the leader, PostgreSQL and Patroni',
    onThe('primary', kill('patroni', 'postgresql'), start('patroni')),
  ),
  fault('postgres', "kill -9 of the leader's PostgreSQL, which Patroni starts again", (cluster) => ({
    strike: async () => cluster.kill(await cluster.theOne('primary'), ['postgresql']),
    mend: () => {},
  })),
  fault(
    'patroni',
    "kill -9 of the leader's Patroni, PostgreSQL runs on",
    onThe('primary', kill('patroni'), start('patroni')),
  ),
  fault(
    'replica',
    'kill -9 of the synchronous replica, PostgreSQL and Patroni',
    onThe('synchronous', kill('patroni', 'postgresql'), start('patroni')),
  ),
  fault('etcd', 'kill -9 of an etcd member', inTurn(DATABASES, 3000, kill('etcd'), start('etcd'))),
  fault(
    'haproxy',
    'kill -9 of an HAProxy, of two',
    inTurn(SERVICES, 1000, kill('haproxy'), start('haproxy')),
    { mayDrop: true },
  ),
  fault('service', 'kill -9 of one of two services', inTurn(SERVICES, 0, kill('service'), start('service')), {
    mayDrop: true,
  }),
  fault(
    'freeze',
    'SIGSTOP of all on the machine of the leader, until another one leads',
    onThe('primary', send('SIGSTOP'), send('SIGCONT')),
  ),
  fault(
    'partition',
    'the leader is cut off from the other databases and etcd, not from the services',
    onThe(
      'primary',
      (cluster, machine) => cluster.network.cut(machine, othersThan(machine)),
      (cluster, machine) => cluster.network.heal(machine, othersThan(machine)),
    ),
  ),
];
