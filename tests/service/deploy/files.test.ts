import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderServeHelp } from '@trellis/server/command';
import { loadAll } from 'js-yaml';
import { PRODUCT } from '../../../src/product.ts';
import { temporaryFolders } from '../../support/temporary.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const readDeploy = (file: string): string => read(`docs/deploy/${file}`);

const FILES = [
  'Dockerfile',
  'compose.yaml',
  'plant-store.service',
  'kubernetes.yaml',
  'cluster/plant-store.env',
];

/** The variables that a file sets for the service. */
const variablesIn = (text: string): string[] => {
  const names = text.matchAll(/(?<![\w$/{.])([A-Z][A-Z_]+)(?==\S|: |, value:)/g);
  return [...new Set([...names].map(([, name = '']) => name))].filter(
    (name) => !/^(?:POSTGRES|CMD)/.test(name),
  );
};

test.each(FILES)('%s uses only settings of the service', (file) => {
  const variables = variablesIn(readDeploy(file));
  expect(variables).toEqual(expect.arrayContaining(['DATABASE_URL']));
  expect(variables.filter((name) => !renderServeHelp(PRODUCT).includes(name))).toEqual([]);
});

test('the image and the unit run Node with the flags of npm start', () => {
  const { scripts } = JSON.parse(read('package.json'));
  const flags: string[] = scripts.start.match(/--\S+/g);
  expect(flags).not.toEqual([]);
  const [command = ''] = /^CMD .*$/m.exec(readDeploy('Dockerfile')) ?? [];
  const [unit = ''] = /^ExecStart=.*$/m.exec(readDeploy('plant-store.service')) ?? [];
  expect(command.match(/--[^"]+/g)).toEqual(flags);
  expect(unit.match(/--\S+/g)).toEqual(flags);
});

test.each([
  ['compose.yaml', 1],
  ['kubernetes.yaml', 3],
])('%s is YAML', (file, documents) => {
  expect(loadAll(readDeploy(file))).toHaveLength(documents);
});

/** The folder that a file names for the tokens of the service. */
const tokenFolderIn = (file: string): string => {
  const [, path = ''] = /ACCESS_TOKENS_FILE(?:=|: |, value: )([^\s}]+)/.exec(readDeploy(file)) ?? [];
  return dirname(path);
};

test('the tokens are in a mounted folder, so that replacing the file revokes a token', () => {
  expect(tokenFolderIn('plant-store.service')).toBe('/etc/plant-store');
  expect(readDeploy('plant-store.service')).not.toMatch(/^(?:LoadCredential|BindReadOnlyPaths|BindPaths)=/m);
  const compose = readDeploy('compose.yaml');
  expect(compose).toContain(`volumes: ["./secrets/tokens:${tokenFolderIn('compose.yaml')}:ro"]`);
  const kubernetes = readDeploy('kubernetes.yaml');
  expect(kubernetes).toContain(`mountPath: ${tokenFolderIn('kubernetes.yaml')},`);
  expect(kubernetes).not.toContain('subPath');
});

const makeFolder = temporaryFolders();

test('with the commands of compose.yaml, every user in a container can read the secrets, and no other user here', async () => {
  const folder = await makeFolder();
  const commands = readDeploy('compose.yaml')
    .split('\n')
    .flatMap((line) => (/^# {3}(?!npx|docker)/.test(line) ? [line.slice(4)] : []));
  const tokens = 'secrets/tokens/access-tokens.txt';
  const script = ['umask 077', 'set -eu', ...commands, `echo alice:s3cret > ${tokens}`].join('\n');
  expect(spawnSync('sh', ['-c', script], { cwd: folder }).status).toBe(0);
  const modeOf = (path: string): number => statSync(join(folder, path)).mode & 0o777;
  expect(modeOf('secrets')).toBe(0o700);
  expect(modeOf('secrets/tokens')).toBe(0o755);
  const files = [...readDeploy('compose.yaml').matchAll(/\{ file: (\S+) \}/g)].map(([, file = '']) => file);
  expect([...files, tokens].map((file) => [file, modeOf(file)])).toEqual([
    ['secrets/database-url.txt', 0o644],
    ['secrets/database-password.txt', 0o644],
    [tokens, 0o644],
  ]);
});

const linesOf = (file: string): string[] =>
  read(file)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

test('the builder gets the files that the Dockerfile copies, and no ignored files', () => {
  const copied = readDeploy('Dockerfile')
    .split('\n')
    .filter((line) => /^COPY (?!--from)/.test(line))
    .flatMap((line) => line.split(' ').slice(1, -1));
  expect(copied).toContain('src');
  const ignored = linesOf('.dockerignore');
  expect(copied.filter((path) => ignored.includes(path))).toEqual([]);
  const unversioned = linesOf('.gitignore').map((line) => line.replaceAll(/^\/|\/$/g, ''));
  expect(unversioned.filter((path) => !ignored.includes(path))).toEqual([]);
});

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

(hasSystemd ? test : test.skip)(
  'systemd takes the unit without a complaint, and finds it well locked',
  () => {
    const unit = join(ROOT, 'docs/deploy/plant-store.service');
    const verified = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
    // Where Node is not in /usr/bin, that is the one complaint.
    expect(
      verified.stderr.split('\n').filter((line) => line !== '' && !line.includes('/usr/bin/node')),
    ).toEqual([]);
    const judged = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', unit]);
    expect(judged.status).toBe(0);
  },
);
