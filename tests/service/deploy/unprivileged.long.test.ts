import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdir, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../../scripts/support/postgres.ts';
import { MAIN } from '../../../scripts/support/service.ts';
import { ROOT } from '../../support/scratch.ts';
import { temporaryFolders } from '../../support/temporary.ts';
import { post } from '../support/service.ts';

const makeFolder = temporaryFolders();

/** The user of the service; without root's rights the tests run as the user that they have. */
const NOBODY = process.getuid?.() === 0 ? 65_534 : undefined;

/** The files of a folder with the times of their last change. */
const timesIn = async (folder: string): Promise<Map<string, number>> => {
  const entries = await readdir(folder, { recursive: true });
  const times = await Promise.all(
    entries.map(async (name) => [name, (await stat(join(folder, name))).mtimeMs] as const),
  );
  return new Map(times);
};

/** A command of the Dockerfile, which is a list in JSON. */
const readCommand = async (instruction: RegExp): Promise<string[]> =>
  JSON.parse(instruction.exec(await readFile(join(ROOT, 'docs/deploy/Dockerfile'), 'utf8'))?.[1] ?? '');

test('a build serves by the commands of the Dockerfile as a user without rights, and writes to its data folder only', async () => {
  const home = await makeFolder();
  const [app, data] = [join(home, 'app'), join(home, 'data')];
  await cp(dirname(dirname(MAIN)), join(app, 'dist'), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(app, 'node_modules'));
  await mkdir(data);
  if (NOBODY !== undefined) await chown(data, NOBODY, NOBODY);
  await chmod(home, 0o755);
  const PORT = `${await freePort()}`;
  const start = async (instruction: RegExp) => {
    const [, ...args] = await readCommand(instruction);
    return spawn(process.execPath, args, {
      cwd: app,
      env: {
        PATH: process.env.PATH,
        NODE_ENV: 'production',
        PORT,
        DATABASE_URL: `sqlite:${join(data, 'plants.db')}`,
        ACCESS_TOKENS: 'a-token-for-tests',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
      ...(NOBODY !== undefined && { uid: NOBODY, gid: NOBODY }),
    });
  };

  const before = await timesIn(join(app, 'dist'));
  const service = await start(/^CMD (.*)$/m);
  const ended = once(service, 'exit');
  for await (const line of createInterface({ input: service.stdout }))
    if (line.includes('"listening"')) break;
  service.stdout.resume();
  expect(await once(await start(/^HEALTHCHECK[^[]*CMD (.*)$/m), 'exit')).toEqual([0, null]);
  const reply = await post({ url: `http://127.0.0.1:${PORT}` }, '{"id":41,"name":"Fern"}');
  expect(reply.status).toBe(200);
  service.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(await timesIn(join(app, 'dist'))).toEqual(before);
  expect(await readdir(data)).toContain('plants.db');
});
