import { once } from 'node:events';
import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { findFreePort } from '../../support/free-port.ts';
import { temporaryFolders } from '../../support/temporary.ts';
import { post } from '../support/service.ts';
import { buildStage, readStages, startAs } from './dockerfile.ts';

// npm installs twice.
jest.setTimeout(300_000);

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const makeFolder = temporaryFolders();

/** The user of the image; without root's rights the tests run as the user that they have. */
const NOBODY = process.getuid?.() === 0 ? 65_534 : undefined;

/** npm hands its settings on to what it runs; the folder that it was run in is not one for another npm. */
const { npm_config_local_prefix: _, INIT_CWD: __, NODE_OPTIONS: ___, ...inherited } = process.env;

/** The files of a folder with the times of their last change. */
const timesIn = async (folder: string): Promise<Map<string, number>> => {
  const entries = await readdir(folder, { recursive: true });
  const times = await Promise.all(
    entries.map(async (name) => [name, (await stat(join(folder, name))).mtimeMs] as const),
  );
  return new Map(times);
};

test('what the Dockerfile builds serves as a user without rights, and writes to its data folder only', async () => {
  const [first = [], second = []] = readStages(await readFile(join(ROOT, 'docs/deploy/Dockerfile'), 'utf8'));
  const home = await makeFolder();
  const build = join(home, 'build');
  const image = join(home, 'image');
  const data = join(home, 'data');
  const owner = NOBODY === undefined ? '' : `-o ${NOBODY} -g ${NOBODY}`;
  const place = {
    context: ROOT,
    earlier: build,
    replace: (text: string) => text.replace('-o node -g node', owner).replaceAll('/data', data),
    environment: { ...inherited, npm_config_prefer_offline: 'true', npm_config_fund: 'false' },
  };
  await buildStage(first, { ...place, folder: build });
  const { environment, health, command } = await buildStage(second, { ...place, folder: image });
  await chmod(home, 0o755);

  const PORT = `${await findFreePort()}`;
  const env = {
    PATH: process.env.PATH,
    ...environment,
    PORT,
    HOST: '127.0.0.1',
    ACCESS_TOKENS: 'a-token-for-tests',
  };
  const before = await timesIn(image);
  const service = startAs(NOBODY, command, image, env);
  const ended = once(service, 'exit');
  for await (const line of createInterface({ input: service.stdout }))
    if (line.includes('"listening"')) break;
  service.stdout.resume();

  const check = startAs(NOBODY, health, image, env);
  expect(await once(check, 'exit')).toEqual([0, null]);
  const reply = await post({ url: `http://127.0.0.1:${PORT}` }, '{"id":41,"name":"Fern"}');
  expect(reply.status).toBe(200);
  service.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(await timesIn(image)).toEqual(before);
  expect(await readdir(data)).toContain('plants.db');
});
