import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { environmentElsewhere } from '../../../packages/create/src/npm.ts';
import { linkPackages } from '../../pack/link.ts';
import { packPackages } from '../../pack/pack.ts';
import { builtFile } from '../build.ts';
import { BUILD, type Entry } from '../subjects.ts';

/** Somebody who may do everything. */
export const STAFF = 'ada:bench-5d1c0a7e9b3f4826';

const SETTINGS = { ACCESS_TOKENS: `${STAFF}:staff`, BASE_PATH: '/' };

/** Makes the project of the example in a folder, and builds it. */
export const buildExample = async (project: string): Promise<void> => {
  const example = fileURLToPath(new URL('../../example.ts', import.meta.url));
  const run = promisify(execFile);
  await run(process.execPath, [...process.execArgv, example, 'museum', project]);
  linkPackages(project, await packPackages());
  const trellis = join(project, 'node_modules/.bin/trellis');
  await run(trellis, ['build'], { cwd: project, env: environmentElsewhere() });
};

/** The example, as it is built in a project, and its twin. */
export const entriesOf = (project: string): readonly Entry[] => [
  { name: 'example', title: 'the example', file: join(project, BUILD), settings: SETTINGS },
  { name: 'twin', title: 'Fastify, by hand', file: builtFile('museum'), isPeer: true, settings: SETTINGS },
];
