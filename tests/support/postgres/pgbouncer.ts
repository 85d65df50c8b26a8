import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findExecutable } from './conditions.ts';

/** Where pgbouncer is on this machine, if it is. */
export const PGBOUNCER = findExecutable('pgbouncer');

/** A pgbouncer in transaction mode before a database, with fewer connections to it than it takes from clients. */
export const startPgbouncer = async (folder: string, databaseUrl: string, serverConnections: number) => {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const sockets = join(folder, 'sockets');
  await chmod(folder, 0o755); // for the user that it runs as
  await mkdir(sockets);
  await chmod(sockets, 0o777);
  await writeFile(join(folder, 'users.txt'), `"${username}" "${password}"\n`);
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr =
unix_socket_dir = ${sockets}
auth_type = scram-sha-256
auth_file = ${join(folder, 'users.txt')}
admin_users = ${username}
pool_mode = transaction
default_pool_size = ${serverConnections}
`,
  );
  const asAnother = process.getuid?.() === 0 ? ['-u', 'postgres'] : []; // it does not run as root
  const child = spawn(PGBOUNCER ?? '', [...asAnother, join(folder, 'pgbouncer.ini')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const closed = once(child, 'close');
  const log: string[] = [];
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      log.push(line);
      if (line.includes('process up')) resolve();
    });
    child.once('exit', () => reject(new Error(`pgbouncer did not start: ${log.join('\n')}`)));
  });
  const urlOf = (database: string) =>
    `postgres://${username}:${password}@/${database}?host=${sockets}&port=6432`;
  return {
    url: urlOf(pathname.slice(1)),
    /** The admin console of pgbouncer. */
    consoleUrl: urlOf('pgbouncer'),
    stop: async (): Promise<void> => {
      child.kill();
      await closed;
    },
  };
};
