import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Who may import whom, beside themselves. The floors of the house: what is not listed does not know of it. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  main: ['commands', 'http', 'handlers', 'storage', 'auth', 'contract', 'plants', 'engines'],
  commands: ['storage', 'contract', 'plants', 'engines'],
  http: ['contract'],
  handlers: ['contract', 'plants'],
  storage: ['engines', 'plants'],
  auth: ['contract'],
  contract: ['generated'],
  plants: ['generated'],
  engines: [],
  generated: [],
};

const files = ['src', 'generated'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
);

/** The composition root: the files of src itself, and the program that they start. */
const roomOf = (file: string): string => {
  const [top = '', room = ''] = file.split('/');
  if (top === 'generated') return top;
  return room.endsWith('.ts') || room === 'program' ? 'main' : room;
};

const importsOf = (file: string): string[] =>
  ts
    .preProcessFile(readFileSync(join(ROOT, file), 'utf8'))
    .importedFiles.map(({ fileName }) => fileName)
    .filter((name) => name.startsWith('.'))
    .map((name) => relative(ROOT, join(ROOT, dirname(file), name)));

const edges = files.flatMap((from) => importsOf(from).map((to) => ({ from, to })));

test('every folder of src has its place in the house', () => {
  expect([...new Set(files.map(roomOf))].filter((room) => !Object.hasOwn(MAY_IMPORT, room))).toEqual([]);
});

test('nobody imports what the design does not let them know', () => {
  const strays = edges.filter(({ from, to }) => {
    const [room, other] = [roomOf(from), roomOf(to)];
    return room !== other && !MAY_IMPORT[room]?.includes(other);
  });
  expect(strays).toEqual([]);
  expect(edges.length).toBeGreaterThan(40);
});

test('the contract knows nothing of plants, and the domain nothing of HTTP or SQL', () => {
  const textOf = (room: string) =>
    files
      .filter((file) => roomOf(file) === room)
      .map((file) => readFileSync(join(ROOT, file), 'utf8'))
      .join('\n');
  expect(textOf('contract')).not.toMatch(/plant/i);
  expect(textOf('plants')).not.toMatch(/node:http|express|sqlite|select |insert /i);
});

test('no file imports itself by a detour', () => {
  const reach = (from: string, path: readonly string[]): string[][] =>
    edges
      .filter((edge) => edge.from === from)
      .flatMap(({ to }) => (path.includes(to) ? [[...path, to]] : reach(to, [...path, to])));
  expect(files.flatMap((file) => reach(file, [file]))).toEqual([]);
});
