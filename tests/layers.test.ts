import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { isMachine } from '../scripts/support/machine.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Which folders a folder of the machine may import, beside itself. */
const MACHINE: Readonly<Record<string, readonly string[]>> = {
  program: ['http', 'auth', 'engines', 'contract'],
  http: ['contract'],
  auth: ['contract'],
  engines: [],
  contract: ['generated'],
  generated: [],
};

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
    .filter((name) => name.endsWith('.ts'))
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
