import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { load } from 'js-yaml';
import { renderRecipe } from '../../../scripts/drill/cluster/recipe.ts';
import { temporaryFolders } from '../../support/temporary.ts';

const makeFolder = temporaryFolders();

/** Writes a file of the recipe for a machine, as the drill does, on an address of the loopback interface. */
const writeRecipe = async (file: string, machine: 'db2' | 'app1') => {
  const folder = await makeFolder();
  const text = await renderRecipe(file, machine, { folder, prefix: '127.77.0.', range: '127.0.0.0/8' });
  const path = join(folder, file);
  await writeFile(path, text);
  return { folder, path, text };
};

/** A test that needs a program; it logs a line where the program is missing. */
const withProgram = (program: string, what: string, run: () => Promise<void>): void => {
  if (spawnSync('which', [program]).status === 0) test(what, run);
  else test.skip(`${what} (skipped: there is no ${program})`, run);
};

withProgram('haproxy', 'HAProxy takes its configuration without a complaint', async () => {
  const { path } = await writeRecipe('haproxy.cfg', 'app1');
  const { status, stderr } = spawnSync('haproxy', ['-c', '-f', path], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});

withProgram('patroni', 'Patroni takes its configuration without a complaint', async () => {
  const { folder, path } = await writeRecipe('patroni.yml', 'db2');
  await mkdir(join(folder, 'postgresql'));
  const { stdout, stderr } = spawnSync('patroni', ['--validate-config', path], { encoding: 'utf8' });
  const complaints = (stdout + stderr).split('\n').filter((line) => line !== '');
  expect(complaints.filter((line) => !line.includes("is not reachable'"))).toEqual([]); // no etcd runs here
});

test('commits wait for a replica in every case, and times obey the rule of Patroni', async () => {
  const { text } = await writeRecipe('patroni.yml', 'db2');
  expect(load(text)).toMatchObject({
    name: 'db2',
    bootstrap: { dcs: { synchronous_mode: true, synchronous_mode_strict: true } },
  });
  const secondsOf = (name: string) => Number(new RegExp(`^ +${name}: (\\d+)$`, 'm').exec(text)?.[1]);
  expect(secondsOf('ttl')).toBeGreaterThanOrEqual(secondsOf('loop_wait') + 2 * secondsOf('retry_timeout'));
});

test('each etcd is a member of its own cluster list', async () => {
  const { text } = await writeRecipe('etcd.env', 'db2');
  const { ETCD_NAME, ETCD_INITIAL_ADVERTISE_PEER_URLS, ETCD_INITIAL_CLUSTER } = parseEnv(text);
  expect(ETCD_INITIAL_CLUSTER?.split(',')).toContain(`${ETCD_NAME}=${ETCD_INITIAL_ADVERTISE_PEER_URLS}`);
});
