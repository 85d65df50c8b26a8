/**
 * Releases the packages: all of them, under one version, or none.
 *
 *   npm run release -- --dry-run    do everything but publish
 *   npm run release                 publish, too, and tag the commit
 *
 * It compares the versions, looks for the entry in CHANGELOG.md, packs, and runs the tests of the packages as they are
 * packed: each is installed in an empty folder, and the sample of its README runs there.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PACKAGES } from '../packages/create/src/new/packages.ts';
import { environmentElsewhere } from '../packages/create/src/npm.ts';
import { packPackages } from './pack/pack.ts';
import { findObstacles, type Manifest } from './release/obstacles.ts';

const run = (command: string, ...args: string[]): string =>
  execFileSync(command, args, {
    env: environmentElsewhere(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

const tarballOf = ({ name, version }: Manifest): string =>
  `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;

const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });
const say = (line: string): void => console.log(line);
const packages = PACKAGES.map((name) => readManifest(join('packages', name)));
const { version } = readManifest('.');

const obstacles = findObstacles([readManifest('.'), ...packages], readFileSync('CHANGELOG.md', 'utf8'));
if (!values['dry-run'] && run('git', 'status', '--porcelain') !== '')
  obstacles.push('there are changes that are not committed');
if (obstacles.length > 0) {
  console.error(`not released:\n${obstacles.join('\n')}`);
  process.exit(1);
}
say(`${version}: one version, with its entry in CHANGELOG.md`);

const packed = await packPackages({ say });
run('npm', 'test', '--', 'tests/packages', '--testRegex', 'packages\\.long\\.test\\.ts$');
say('each package is installed in an empty folder, and its sample runs');
for (const manifest of packages) {
  const options = ['--access', 'public', ...(values['dry-run'] ? ['--dry-run'] : [])];
  run('npm', 'publish', join(packed, tarballOf(manifest)), '--silent', ...options);
}
if (values['dry-run']) say('nothing was published: this was a dry run');
else {
  run('git', 'tag', `v${version}`);
  say(`published; push the tag: git push origin v${version}`);
}
