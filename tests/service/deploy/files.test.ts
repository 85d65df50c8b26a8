import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadAll } from 'js-yaml';
import { SERVE_HELP } from '../../../src/program/command/serve-help.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const readDeploy = (file: string): string => read(`docs/deploy/${file}`);

const FILES = ['Dockerfile', 'compose.yaml', 'plant-store.service', 'kubernetes.yaml'];

/** The variables that a file sets for the service. */
const variablesIn = (text: string): string[] => {
  const names = text.matchAll(/(?<![\w$/{.])([A-Z][A-Z_]+)(?==\S|: |, value:)/g);
  return [...new Set([...names].map(([, name = '']) => name))].filter(
    (name) => !/^(?:POSTGRES|CMD)/.test(name),
  );
};

test.each(FILES)('%s sets only what the service knows', (file) => {
  const variables = variablesIn(readDeploy(file));
  expect(variables).toEqual(expect.arrayContaining(['DATABASE_URL']));
  expect(variables.filter((name) => !SERVE_HELP.includes(name))).toEqual([]);
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
