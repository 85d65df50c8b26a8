/**
 * Packs every package, as it would be published.
 *
 *   npm run pack:packages                        into the folder packed
 *   npm run pack:packages -- --to FOLDER         into another folder
 *   npm run pack:packages -- --version 1.1.0     under another version
 */
import { copyFileSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packPackages, tarballsIn } from './pack/pack.ts';

const { values } = parseArgs({
  options: { to: { type: 'string', default: 'packed' }, version: { type: 'string' } },
});
const say = (line: string): void => void process.stderr.write(`${line}\n`);

const folder = await packPackages({ version: values.version, say });
mkdirSync(values.to, { recursive: true });
for (const name of tarballsIn(folder)) {
  copyFileSync(join(folder, name), join(values.to, name));
  console.log(`${join(values.to, name)}  ${Math.ceil(statSync(join(folder, name)).size / 1024)} KiB`);
}
