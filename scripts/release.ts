/**
 * Releases the packages: all of them, under one version, or none.
 *
 *   npm run release -- --dry-run    do everything but publish
 *   npm run release                 publish, too, and tag the commit
 *
 * It compares the versions, looks for the entry in CHANGELOG.md, packs, installs each package alone in an empty folder and
 * runs the sample of its README there.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { PACKAGES } from '../packages/create/src/new/packages.ts';
import { environmentElsewhere } from '../packages/create/src/npm.ts';
import { packPackages } from './pack/pack.ts';
import { findObstacles, type Manifest, withNeeds } from './release/obstacles.ts';

const run = (cwd: string, command: string, ...args: string[]): string =>
  execFileSync(command, args, {
    cwd,
    env: environmentElsewhere(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

const tarballOf = ({ name, version }: Manifest): string =>
  `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;

const sampleOf = ({ name }: Manifest): string => {
  const page = readFileSync(join('packages', name.replace(/^.*\//, ''), 'README.md'), 'utf8');
  const [, sample = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
  const { module, target } = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  return ts.transpileModule(sample, { compilerOptions: { module, target } }).outputText;
};

/** Installs a package, and the others that it needs, in an empty folder, and runs the sample of its README. */
const tryPackage = (manifest: Manifest, packages: readonly Manifest[], packed: string): void => {
  const folder = mkdtempSync(join(tmpdir(), 'release-'));
  try {
    writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }');
    const tarballs = withNeeds(manifest, packages).map((each) => join(packed, tarballOf(each)));
    const options = ['--silent', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
    run(folder, 'npm', 'install', ...options, ...tarballs);
    writeFileSync(join(folder, 'sample.js'), sampleOf(manifest));
    run(folder, process.execPath, 'sample.js');
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });
const say = (line: string): void => console.log(line);
const packages = PACKAGES.map((name) => readManifest(join('packages', name)));
const { version } = readManifest('.');

const obstacles = findObstacles([readManifest('.'), ...packages], readFileSync('CHANGELOG.md', 'utf8'));
if (!values['dry-run'] && run('.', 'git', 'status', '--porcelain') !== '')
  obstacles.push('there are changes that are not committed');
if (obstacles.length > 0) {
  console.error(`not released:\n${obstacles.join('\n')}`);
  process.exit(1);
}
say(`${version}: one version, with its entry in CHANGELOG.md`);

const packed = await packPackages({ say });
for (const manifest of packages) {
  tryPackage(manifest, packages, packed);
  say(`${manifest.name}: installed in an empty folder, and its sample runs`);
}
for (const manifest of packages) {
  const options = ['--access', 'public', ...(values['dry-run'] ? ['--dry-run'] : [])];
  run('.', 'npm', 'publish', join(packed, tarballOf(manifest)), '--silent', ...options);
}
if (values['dry-run']) say('nothing was published: this was a dry run');
else {
  run('.', 'git', 'tag', `v${version}`);
  say(`published; push the tag: git push origin v${version}`);
}
