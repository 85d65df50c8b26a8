import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The machines of the recipe, with the last byte of their addresses. */
export const MACHINES = { db1: 11, db2: 12, db3: 13, app1: 21, app2: 22 };
/** A machine of the recipe. */
export type Machine = keyof typeof MACHINES;
/** The machines with PostgreSQL and etcd. */
export const DATABASES = ['db1', 'db2', 'db3'] as const;
/** The machines with the service and HAProxy. */
export const SERVICES = ['app1', 'app2'] as const;

/** Why this machine cannot run the cluster; `undefined` if it can. */
export const whyNoCluster = (): string | undefined => {
  if (process.getuid?.() !== 0) return 'needs root, to run each program as its own user';
  const has = (program: string) => spawnSync('which', [program]).status === 0;
  const missing = ['etcd', 'patroni', 'haproxy', 'setpriv'].filter((program) => !has(program));
  return missing.length > 0 ? `needs ${missing.join(', ')} (Debian's packages have them)` : undefined;
};

/** The shortest times that Patroni's manual allows. Production uses the times of the recipe. */
const SHORT = { ttl: 20, loop_wait: 2, retry_timeout: 5 };

/** Reads a file of the recipe for a machine; only addresses, folders and Patroni's times differ. */
export const renderRecipe = async (
  file: string,
  machine: Machine,
  { folder, prefix, range }: Readonly<Record<'folder' | 'prefix' | 'range', string>>,
): Promise<string> => {
  const path = fileURLToPath(new URL(`../../../docs/deploy/cluster/${file}`, import.meta.url));
  const times = Object.entries(SHORT).map(([name, seconds]) => [`^( +${name}): \\d+$`, `$1: ${seconds}`]);
  return [
    ['NODE', machine],
    ['ADDRESS', `${prefix}${MACHINES[machine]}`],
    ['10\\.0\\.0\\.0/24', range],
    ['10\\.0\\.0\\.', prefix],
    ['/var/lib/(etcd|postgresql)/plants', `${folder}/$1/data`],
    ['/var/run/postgresql', `${folder}/postgresql`],
    ...times,
  ].reduce(
    (text, [from = '', to = '']) => text.replace(new RegExp(from, 'gm'), to),
    await readFile(path, 'utf8'),
  );
};
