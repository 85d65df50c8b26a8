import { execFileSync } from 'node:child_process';

const ip = (...args: readonly string[]): void => {
  execFileSync('ip', args, { stdio: 'pipe' });
};

/** Why this machine cannot create network namespaces; `undefined` if it can. */
export const whyNoNetwork = (): string | undefined => {
  const name = `d${process.pid}-try`;
  try {
    ip('netns', 'add', name);
    ip('netns', 'delete', name);
    return undefined;
  } catch {
    return 'needs network namespaces: root with CAP_NET_ADMIN, and iproute2';
  }
};

/** An unused address of the link layer. */
const UNUSED = '02:00:00:00:00:01';

/** Makes a network: each machine, by name, has the last byte of its address, and a namespace. */
export const openNetwork = (machines: Readonly<Record<string, number>>) => {
  const prefix = `10.77.${process.pid % 256}.`;
  const bridge = `d${process.pid}`;
  const spaceOf = (machine: string): string => `${bridge}-${machine}`;
  const quietly = (...args: readonly string[]): void => {
    try {
      ip(...args);
    } catch {
      // it is not there
    }
  };
  const close = (): void => {
    for (const machine of Object.keys(machines)) {
      quietly('link', 'delete', spaceOf(machine));
      quietly('netns', 'delete', spaceOf(machine));
    }
    quietly('link', 'delete', bridge);
  };
  const neighbours = (machine: string, others: readonly string[]): [space: string, address: string][] =>
    others.flatMap((other) => [
      [spaceOf(machine), `${prefix}${machines[other]}`],
      [spaceOf(other), `${prefix}${machines[machine]}`],
    ]);

  try {
    ip('link', 'add', bridge, 'type', 'bridge');
    ip('address', 'add', `${prefix}1/24`, 'dev', bridge);
    ip('link', 'set', bridge, 'up');
    for (const [machine, last] of Object.entries(machines)) {
      const space = spaceOf(machine);
      ip('netns', 'add', space);
      ip('link', 'add', space, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space);
      ip('link', 'set', space, 'master', bridge, 'up');
      ip('-n', space, 'address', 'add', `${prefix}${last}/24`, 'dev', 'eth0');
      for (const device of ['lo', 'eth0']) ip('-n', space, 'link', 'set', device, 'up');
    }
  } catch (error) {
    close();
    throw error;
  }
  return {
    /** The prefix of the addresses of all machines: `10.77.3.`. */
    prefix,
    /** What all of them are in, as PostgreSQL writes it. */
    range: `${prefix}0/24`,
    /** The command that runs another one on a machine. */
    on: (machine: string): readonly string[] => ['ip', 'netns', 'exec', spaceOf(machine)],
    /** Loses all packets between a machine and others, both ways, without a word. */
    cut(machine: string, others: readonly string[]): void {
      for (const [space, address] of neighbours(machine, others))
        ip('-n', space, 'neigh', 'replace', address, 'lladdr', UNUSED, 'nud', 'permanent', 'dev', 'eth0');
    },
    heal(machine: string, others: readonly string[]): void {
      for (const [space, address] of neighbours(machine, others))
        ip('-n', space, 'neigh', 'delete', address, 'dev', 'eth0');
    },
    close,
  };
};
