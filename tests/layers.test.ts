import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { isMachine, MACHINE as MACHINE_PATHS } from '../scripts/support/machine.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Which folders a folder of the machine may import, beside itself. */
const MACHINE: Readonly<Record<string, readonly string[]>> = {
  program: ['http', 'auth', 'engines', 'contract'],
  http: ['contract', 'client'], // the API reference writes requests as the client does
  auth: ['contract'],
  engines: [],
  client: ['contract', 'generated'],
  contract: ['generated'],
  generated: [],
};

/**
 * The rooms inside folders of the machine, from the top floor to the ground. Files of the folder itself are `.`. A room
 * may import rooms of lower floors; rooms on one floor do not import each other.
 */
const ROOMS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'src/contract': [
    ['.'],
    ['examples'],
    ['reply', 'routing'],
    ['body', 'codec'],
    ['parameters', 'values'],
    ['validation'],
    ['schema', 'document'],
    ['json'],
    ['problems'],
  ],
  'src/http': [['.'], ['docs', 'connections'], ['reply'], ['observe']],
  'src/auth': [['.'], ['token-file'], ['tokens']],
  'src/engines': [['sqlite', 'postgres'], ['.']],
};

/** More files than this, side by side, are a corridor and not a room. */
const MAX_FILES = 12;

/** What the folders of the service may import of the machine. Among themselves they are free, but for those kept apart. */
const FOR_SERVICE = ['contract', 'engines', 'generated'];
const APART = [
  ['handlers', 'storage'],
  ['handlers', 'engines'],
  ['storage', 'contract'],
  ['storage', 'handlers'],
].map(([from, to]) => `${from} -> ${to}`);

/** The one file of the service that the machine imports: the name of the product. */
const PRODUCT = 'src/product.ts';

const files = ['src', 'generated'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name)),
);

/** The folder of a file; the files of src itself are the composition root, and may import everything. */
const roomOf = (file: string): string => {
  const [top = '', room = ''] = file.split('/');
  if (top === 'generated') return top;
  return room.endsWith('.ts') ? 'main' : room;
};

const importsOf = (file: string): string[] =>
  ts
    .preProcessFile(readFileSync(join(ROOT, file), 'utf8'))
    .importedFiles.map(({ fileName }) => fileName)
    .filter((name) => name.startsWith('.'))
    .map((name) => relative(ROOT, join(ROOT, dirname(file), name)));

const edges = files.flatMap((from) => importsOf(from).map((to) => ({ from, to })));

test('every folder of the machine has its floor', () => {
  const rooms = new Set(files.filter(isMachine).map(roomOf));
  expect([...rooms].filter((room) => !Object.hasOwn(MACHINE, room))).toEqual([]);
});

test('nobody imports what the design does not let them know', () => {
  const isAllowed = ({ from, to }: { from: string; to: string }): boolean => {
    const [room, other] = [roomOf(from), roomOf(to)];
    if (room === 'main' || room === other) return true;
    const floor = MACHINE[room];
    if (floor) return floor.includes(other) || (room === 'program' && to === PRODUCT);
    const isOpen = Object.hasOwn(MACHINE, other) ? FOR_SERVICE.includes(other) : other !== 'main';
    return isOpen && !APART.includes(`${room} -> ${other}`);
  };
  expect(edges.filter((edge) => !isAllowed(edge))).toEqual([]);
  expect(edges.length).toBeGreaterThan(40);
});

test.each(Object.entries(ROOMS))('in %s rooms import lower floors only', (folder, floors) => {
  const inner = (file: string): string => {
    const [room = '', rest] = relative(folder, file).split('/');
    return rest === undefined ? '.' : room;
  };
  const floorOf = (file: string): number => floors.findIndex((rooms) => rooms.includes(inner(file)));
  const inFolder = (file: string): boolean => file.startsWith(`${folder}/`);
  expect(files.filter((file) => inFolder(file) && floorOf(file) < 0)).toEqual([]);
  const strays = edges
    .filter(({ from, to }) => inFolder(from) && inFolder(to) && inner(from) !== inner(to))
    .filter(({ from, to }) => floorOf(from) >= floorOf(to));
  expect(strays).toEqual([]);
});

test('no folder of the machine holds more than a dozen files', () => {
  const folders = MACHINE_PATHS.filter((path) => statSync(join(ROOT, path)).isDirectory()).flatMap((path) => [
    path,
    ...readdirSync(join(ROOT, path), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name))),
  ]);
  const countFiles = (folder: string): number =>
    readdirSync(join(ROOT, folder), { withFileTypes: true }).filter((entry) => entry.isFile()).length;
  expect(folders.length).toBeGreaterThan(20);
  expect(folders.filter((folder) => countFiles(folder) > MAX_FILES)).toEqual([]);
});

test('no file imports itself by a detour', () => {
  const done = new Set<string>();
  const findCircles = (file: string, path: readonly string[]): string[][] => {
    if (path.includes(file)) return [[...path, file]];
    if (done.has(file)) return [];
    const targets = edges.filter(({ from }) => from === file).map(({ to }) => to);
    const circles = targets.flatMap((to) => findCircles(to, [...path, file]));
    done.add(file);
    return circles;
  };
  expect(files.flatMap((file) => findCircles(file, []))).toEqual([]);
});
