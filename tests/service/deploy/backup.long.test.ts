import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolders } from '../../support/temporary.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const [SQLITE = ''] = read('docs/how-to/back-up.md').split('\n## PostgreSQL');
const UNIT = read('docs/deploy/plant-store.service');
const settingOf = (name: string): string =>
  new RegExp(`^(?:Environment=)?${name}=(.*)$`, 'm').exec(UNIT)?.[1] ?? '';
const USER = settingOf('User');
const STORE = settingOf('DATABASE_URL').replace('sqlite:', '');

const makeFolder = temporaryFolders();

/** A folder in place of the machine's root. Steps that need root are left out: other users, and systemd. */
const makeMachine = async () => {
  const root = await makeFolder();
  const bin = join(root, 'bin');
  for (const folder of [bin, join(root, 'store')]) mkdirSync(folder);
  const commands = {
    'plant-store': `exec '${process.execPath}' '${join(ROOT, 'dist/bin/cli.js')}' "$@"`,
    runuser: `[ "$1 $2 $3" = "-u ${USER} --" ] && shift 3 && exec "$@"`,
    systemctl: `[ "$2" = plant-store ]`,
  };
  for (const [name, text] of Object.entries(commands)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const here = (text: string): string =>
    text
      .replaceAll('/usr/local/bin', bin)
      .replaceAll('/var/lib/plant-store', join(root, 'store'))
      .replaceAll('/backup', join(root, 'backup'))
      .replaceAll(` -o ${USER} -g ${USER}`, '');
  return {
    root,
    run(script: string) {
      const env = { PATH: `${bin}:${process.env.PATH}` };
      const done = spawnSync('sh', ['-euc', here(script)], { cwd: root, env, encoding: 'utf8' });
      if (done.status !== 0) throw new Error(`${script}: ${done.stdout}${done.stderr}`);
      return done.stdout;
    },
  };
};

const add = (id: number): string =>
  `echo '{"id":${id},"name":"plant ${id}"}' | DATABASE_URL=sqlite:${STORE} plant-store import -\n`;

test('the commands of docs/how-to/back-up.md back up and restore the store of the unit, as they are written', async () => {
  const [prepare = '', backup = '', check = '', restore = '', merge = '', ...others] = [
    ...SQLITE.matchAll(/^```sh\n([\s\S]*?)^```/gm),
  ].map(([, block = '']) => block);
  expect(others).toEqual([]);
  expect([prepare, backup, restore, merge].every((block) => block.includes(USER))).toBe(true);
  const machine = await makeMachine();
  machine.run(add(1) + prepare + backup);
  expect(machine.run(check).trim()).toBe('1');
  machine.run(add(2) + restore);
  const list = (): string[] => machine.run(`${prepare}plant-store export`).trim().split('\n');
  expect(list()).toHaveLength(1);
  machine.run(prepare + merge);
  expect(list()).toHaveLength(2);
}, 60_000);

test('the nightly line of docs/how-to/back-up.md backs up the store of the unit, with the PATH of cron', async () => {
  const [, setting = '', user = '', command = ''] =
    /^(DATABASE_URL=\S+)\n15 3 \* \* \* {2}(\S+) {2}(.*)$/m.exec(SQLITE) ?? [];
  expect(setting).toBe(`DATABASE_URL=sqlite:${STORE}`);
  expect(user).toBe(USER);
  expect(command).toMatch(/^\/usr\/local\/bin\/plant-store /);
  const machine = await makeMachine();
  machine.run(`${add(1)}mkdir /backup`);
  machine.run(`export ${setting} PATH=/usr/bin:/bin\n${command.replaceAll('\\%', '%')}`);
  expect(readdirSync(join(machine.root, 'backup'))).toEqual([
    expect.stringMatching(/^plants-\d{4}-\d\d-\d\d\.db$/),
  ]);
}, 60_000);
