import { readdirSync } from 'node:fs';
import { PACKAGES } from '../packages/create/src/new/packages.ts';
import { findObstacles, type Manifest } from '../scripts/release/obstacles.ts';
import { read } from './support/pages.ts';

const CHANGELOG = '# Changes\n\n## 1.1.0\n\nSomething new.\n\n## 1.0.0\n\nThe first.\n';
const low: Manifest = { name: '@trellis/low', version: '1.1.0' };
const high: Manifest = {
  name: '@trellis/high',
  version: '1.1.0',
  dependencies: { '@trellis/low': '1.1.0', express: '^5.0.0' },
};
const apart: Manifest = {
  name: '@trellis/apart',
  version: '1.1.0',
  devDependencies: { '@trellis/low': '1.1.0' },
};

test('nothing stands in the way of packages of one version that the changelog has', () => {
  expect(findObstacles([high, low, apart], CHANGELOG)).toEqual([]);
});

test('a package of another version is named, and so is one that depends on another version', () => {
  const older = { ...low, version: '1.0.0' };
  const stale = { ...apart, devDependencies: { '@trellis/low': '^1.1.0' } };
  expect(findObstacles([high, older, stale], CHANGELOG)).toEqual([
    '@trellis/low has version 1.0.0, and @trellis/high 1.1.0',
    '@trellis/apart depends on @trellis/low ^1.1.0, not 1.1.0',
  ]);
});

test.each([
  '# Changes\n',
  '# Changes\n\n## 1.1.0\n\n## 1.0.0\n\nThe first.\n',
  '# Changes\n\n## 1.1.0-rc.1\n\nNew.\n',
])('a changelog without words about the version is refused: %j', (changelog) => {
  expect(findObstacles([low], changelog)).toEqual(['CHANGELOG.md says nothing under ## 1.1.0']);
});

test('all packages are released, each after those that it needs', () => {
  expect(PACKAGES.toSorted()).toEqual(readdirSync('packages').sort());
  const early = PACKAGES.flatMap((name, nth) => {
    const { dependencies = {} }: Manifest = JSON.parse(read(`packages/${name}/package.json`));
    return PACKAGES.slice(nth + 1).filter((later) => Object.hasOwn(dependencies, `@trellis/${later}`));
  });
  expect(early).toEqual([]);
});

test('nothing stands in the way of a release of this repository', () => {
  const folders = ['.', ...readdirSync('packages').map((name) => `packages/${name}`)];
  const manifests = folders.map((folder): Manifest => JSON.parse(read(`${folder}/package.json`)));
  expect(findObstacles(manifests, read('CHANGELOG.md'))).toEqual([]);
});
