import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Which packages each part of the repository may import. The plant store is `src`, and what is generated for it. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  openapi: [],
  client: ['openapi'],
  reference: ['openapi', 'client'],
  server: ['openapi', 'reference'],
  'contract-tests': ['openapi'],
  create: ['openapi', 'server'],
  src: ['server', 'openapi', 'contract-tests', 'generated'],
  generated: ['client', 'server'],
};

/** Entries of packages that are for some only: what is built of the reference, not what builds it. */
const ENTRIES: Readonly<Record<string, readonly string[]>> = {
  'server -> reference': ['@trellis/reference'],
  'src -> server': ['', '/body-reader', '/command', '/data'].map((entry) => `@trellis/server${entry}`),
  'src -> contract-tests': ['@trellis/contract-tests'],
};

/** The rooms of the server that a room may import, beside itself. Its entries, the files of `src` itself, import all. */
const SERVER: Readonly<Record<string, readonly string[]>> = {
  program: ['background', 'http', 'auth', 'engines', 'contract'],
  background: ['http', 'engines', 'contract'],
  http: ['contract'],
  auth: ['contract'],
  webhooks: ['outbox', 'contract'],
  outbox: ['background', 'data'],
  data: ['engines'],
  engines: [],
  contract: [],
};

/**
 * The rooms inside folders, from the top floor to the ground. Files of the folder itself are `.`. A room may import
 * rooms of lower floors; rooms on one floor do not import each other.
 */
const FLOORS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'packages/server/src/contract': [
    ['.'],
    ['examples', 'conditional', 'idempotency'],
    ['reply', 'routing'],
    ['body', 'codec'],
    ['parameters'],
    ['validation', 'json'],
    ['problems'],
  ],
  'packages/server/src/http': [['.'], ['docs', 'connections'], ['reply'], ['observe']],
  'packages/server/src/engines': [['sqlite', 'postgres'], ['.']],
};

/** More files than this, side by side, are a corridor and not a room. Entries of a package are its doors. */
const MAX_FILES = 12;

/** Parts of the plant store that are kept apart. */
const APART = ['handlers -> store.ts', 'store.ts -> handlers'];

const filesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));

const packages = readdirSync(join(ROOT, 'packages'));

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly source: string }>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const readManifest = (name: string): Manifest =>
  JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8'));
const manifests = new Map(packages.map((name) => [name, readManifest(name)]));

/** The file of each entry, by what is imported: `@trellis/openapi/json`. */
const entries = new Map(
  [...manifests].flatMap(([name, { exports }]) =>
    Object.entries(exports).flatMap(([entry, target]): [string, string][] =>
      typeof target === 'string'
        ? []
        : [[join('@trellis', name, entry), join('packages', name, target.source)]],
    ),
  ),
);

const files = [...packages.map((name) => `packages/${name}/src`), 'src', 'generated']
  .flatMap(filesIn)
  .filter((file) => /\.tsx?$/.test(file));

interface Edge {
  readonly from: string;
  /** What is written after `from`. */
  readonly name: string;
  /** The file that it leads to; for a package without that entry, the name itself. */
  readonly to: string;
}

const edges = files.flatMap((from): Edge[] =>
  ts
    .preProcessFile(readFileSync(join(ROOT, from), 'utf8'))
    .importedFiles.map(({ fileName }) => fileName)
    .filter((name) => name.startsWith('.') || name.startsWith('@trellis/'))
    .map((name) => ({
      from,
      name,
      to: name.startsWith('.') ? join(dirname(from), name) : (entries.get(name) ?? name),
    })),
);

/** The package that a file belongs to, or the folder at the top. */
const partOf = (file: string): string => {
  const [top = '', name = ''] = file.split('/');
  return top === 'packages' || top === '@trellis' ? name : top;
};

const crossing = edges.filter(({ from, to }) => partOf(from) !== partOf(to));

const listed = (some: readonly Edge[]): string[] => some.map(({ from, name }) => `${from} imports ${name}`);

test('every package has its floor, and declares what it imports', () => {
  expect(packages.filter((name) => !Object.hasOwn(MAY_IMPORT, name))).toEqual([]);
  const undeclared = crossing.filter(({ from, to }) => {
    const manifest = manifests.get(partOf(from));
    const declared = { ...manifest?.dependencies, ...manifest?.devDependencies };
    return manifest && !Object.hasOwn(declared, `@trellis/${partOf(to)}`);
  });
  expect(listed(undeclared)).toEqual([]);
});

test('packages import only those that the design lets them know', () => {
  const isAllowed = ({ from, name, to }: Edge): boolean => {
    const [part, other] = [partOf(from), partOf(to)];
    const open = ENTRIES[`${part} -> ${other}`];
    return (MAY_IMPORT[part]?.includes(other) ?? false) && (open?.includes(name) ?? true);
  };
  expect(listed(crossing.filter((edge) => !isAllowed(edge)))).toEqual([]);
  expect(crossing.length).toBeGreaterThan(150);
});

test('a package is imported through its exports alone', () => {
  const isEntered = ({ name, to }: Edge): boolean => entries.has(name) || partOf(to) === 'generated';
  expect(listed(crossing.filter((edge) => !isEntered(edge)))).toEqual([]);
});

test('rooms of the server import only those that the design lets them know', () => {
  const roomOf = (file: string): string => {
    const [room = '', rest] = relative('packages/server/src', file).split('/');
    return rest === undefined ? 'entries' : room;
  };
  const inServer = edges.filter(({ from, to }) => partOf(from) === 'server' && partOf(to) === 'server');
  const rooms = new Set(inServer.map(({ from }) => roomOf(from)));
  expect([...rooms].filter((room) => room !== 'entries' && !Object.hasOwn(SERVER, room))).toEqual([]);
  const isAllowed = ({ from, to }: Edge): boolean => {
    const [room, other] = [roomOf(from), roomOf(to)];
    return room === 'entries' || room === other || (SERVER[room]?.includes(other) ?? false);
  };
  expect(listed(inServer.filter((edge) => !isAllowed(edge)))).toEqual([]);
  const ofEngines = edges.filter(({ from }) => from.startsWith('packages/server/src/engines/'));
  expect(listed(ofEngines.filter((edge) => crossing.includes(edge)))).toEqual([]);
});

test.each(Object.entries(FLOORS))('in %s rooms import lower floors only', (folder, floors) => {
  const roomOf = (file: string): string => {
    const [room = '', rest] = relative(folder, file).split('/');
    return rest === undefined ? '.' : room;
  };
  const floorOf = (file: string): number => floors.findIndex((rooms) => rooms.includes(roomOf(file)));
  const inFolder = (file: string): boolean => file.startsWith(`${folder}/`);
  expect(files.filter((file) => inFolder(file) && floorOf(file) < 0)).toEqual([]);
  const strays = edges
    .filter(({ from, to }) => inFolder(from) && inFolder(to) && roomOf(from) !== roomOf(to))
    .filter(({ from, to }) => floorOf(from) >= floorOf(to));
  expect(listed(strays)).toEqual([]);
});

test('in the plant store handlers and store do not know each other', () => {
  const roomOf = (file: string): string => file.split('/')[1] ?? '';
  const ofStore = edges.filter(({ from, to }) => partOf(from) === 'src' && partOf(to) === 'src');
  expect(ofStore.length).toBeGreaterThan(10);
  expect(
    listed(ofStore.filter(({ from, to }) => APART.includes(`${roomOf(from)} -> ${roomOf(to)}`))),
  ).toEqual([]);
});

test('no file imports itself by a detour, in a package or between them', () => {
  const targets = new Map(files.map((file) => [file, edges.filter(({ from }) => from === file)]));
  const done = new Set<string>();
  const findCircles = (file: string, path: readonly string[]): string[][] => {
    if (path.includes(file)) return [[...path.slice(path.indexOf(file)), file]];
    if (done.has(file)) return [];
    const circles = (targets.get(file) ?? []).flatMap(({ to }) => findCircles(to, [...path, file]));
    done.add(file);
    return circles;
  };
  expect(files.flatMap((file) => findCircles(file, []))).toEqual([]);
});

test('no package says what the service is about', () => {
  const written = packages
    .flatMap((name) => ['src', 'tests', 'README.md'].map((part) => join('packages', name, part)))
    .filter((path) => existsSync(join(ROOT, path)))
    .flatMap((path) => (path.endsWith('.md') ? [path] : filesIn(path)));
  const said = written.filter((file) => /plant/i.test(file + readFileSync(join(ROOT, file), 'utf8')));
  expect(written.length).toBeGreaterThan(500);
  expect(said).toEqual([]);
});

test('no folder of a package holds more than a dozen files', () => {
  const doors = new Set(entries.values());
  const counts = new Map<string, number>();
  for (const file of packages.flatMap((name) => filesIn(`packages/${name}/src`)))
    if (!doors.has(file)) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  expect(counts.size).toBeGreaterThan(60);
  expect([...counts].filter(([, count]) => count > MAX_FILES)).toEqual([]);
});
