import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The packages that each part of the repository may import. The plant store is `src` and `generated`. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  openapi: [],
  client: ['openapi'],
  reference: ['openapi', 'client'],
  contract: ['openapi'],
  server: ['contract', 'openapi', 'reference'],
  data: [],
  outbox: ['contract', 'data', 'openapi', 'server'],
  'contract-tests': ['openapi'],
  create: ['openapi', 'contract', 'server'],
  src: ['server', 'data', 'openapi', 'contract-tests', 'generated'],
  generated: ['client', 'server', 'outbox'],
};

/** Restricted entries: some importers may use these only. */
const ENTRIES: Readonly<Record<string, readonly string[]>> = {
  'server -> reference': ['@trellis/reference'],
  'src -> server': ['', '/body-reader', '/command'].map((entry) => `@trellis/server${entry}`),
  'src -> contract-tests': ['@trellis/contract-tests'],
};

/**
 * The rooms of the server that a room may import, beside itself. Its entries, the files of `src` itself, import all.
 */
const SERVER: Readonly<Record<string, readonly string[]>> = {
  program: ['background', 'http', 'auth'],
  background: ['http'],
  http: [],
  auth: [],
};

/** More files than this, side by side, are a corridor and not a room. Entries of a package are its doors. */
const MAX_FILES = 12;

/** Parts that do not import each other. */
const APART = [
  ['src/handlers', 'src/store.ts'],
  ['packages/data/src/engines/sqlite', 'packages/data/src/engines/postgres'],
] as const;

const filesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));

const packages = readdirSync(join(ROOT, 'packages'));

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly source: string }>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const readManifest = (name: string): Manifest =>
  JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8'));
const manifests = new Map(packages.map((name) => [name, readManifest(name)]));

/** The file of each entry by its specifier: `@trellis/openapi/types`. */
const entries = new Map(
  [...manifests].flatMap(([name, { exports }]) =>
    Object.entries(exports).flatMap(([entry, target]): [string, string][] =>
      typeof target === 'string'
        ? []
        : [[join('@trellis', name, entry), join('packages', name, target.source)]],
    ),
  ),
);

const sourcesIn = (folders: readonly string[]): string[] =>
  folders.flatMap(filesIn).filter((file) => /\.tsx?$/.test(file) && !file.includes('/node_modules/'));

interface Edge {
  readonly from: string;
  /** The specifier after `from`. */
  readonly name: string;
  /** The file that it leads to; for a package without that entry, the name itself. */
  readonly to: string;
}

const importsOf = (file: string): Edge[] =>
  ts
    .preProcessFile(readFileSync(join(ROOT, file), 'utf8'))
    .importedFiles.map(({ fileName }) => fileName)
    .filter((name) => name.startsWith('.') || name.startsWith('@trellis/'))
    .map((name) => ({
      from: file,
      name,
      to: name.startsWith('.') ? join(dirname(file), name) : (entries.get(name) ?? name),
    }));

const edges = sourcesIn([...packages.map((name) => `packages/${name}/src`), 'src', 'generated']).flatMap(
  importsOf,
);

/** The package that a file belongs to, or the folder at the top. */
const partOf = (file: string): string => {
  const [top = '', name = ''] = file.split('/');
  return top === 'packages' || top === '@trellis' ? name : top;
};

const crossing = edges.filter(({ from, to }) => partOf(from) !== partOf(to));

const listed = (some: readonly Edge[]): string[] => some.map(({ from, name }) => `${from} imports ${name}`);

test('every package has its layer, and declares its imports', () => {
  expect(packages.filter((name) => !Object.hasOwn(MAY_IMPORT, name))).toEqual([]);
  const undeclared = crossing.filter(({ from, to }) => {
    const manifest = manifests.get(partOf(from));
    const declared = {
      ...manifest?.dependencies,
      ...manifest?.devDependencies,
      ...manifest?.peerDependencies,
    };
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
});

test.each(APART)('%s and %s do not import each other', (one, other) => {
  const isIn = (file: string, part: string): boolean => file === part || file.startsWith(`${part}/`);
  expect(edges.some(({ to }) => isIn(to, one)) && edges.some(({ to }) => isIn(to, other))).toBe(true);
  const strays = edges.filter(
    ({ from, to }) => (isIn(from, one) && isIn(to, other)) || (isIn(from, other) && isIn(to, one)),
  );
  expect(listed(strays)).toEqual([]);
});

/** Folders whose files and folders import each other in one direction, on every level. */
const TREES = [
  ...packages.flatMap((name) => [`packages/${name}/src`, `packages/${name}/tests`]),
  ...['src', 'scripts', 'tests', 'examples'],
].filter((tree) => existsSync(join(ROOT, tree)));

test.each(TREES)('in %s no file or folder imports itself by a detour', (tree) => {
  const targets = new Map<string, Set<string>>();
  for (const { from, to } of sourcesIn([tree]).flatMap(importsOf)) {
    if (!to.startsWith(`${tree}/`)) continue;
    const [path, other] = [from.split('/'), to.split('/')];
    // An import between two folders is one between the first parts of their paths that differ.
    const depth = path.findIndex((part, index) => part !== other[index]) + 1;
    const importer = path.slice(0, depth).join('/');
    const imported = other.slice(0, depth).join('/');
    targets.set(importer, new Set([...(targets.get(importer) ?? []), imported]));
  }
  const done = new Set<string>();
  const findCircles = (place: string, way: readonly string[]): string[][] => {
    if (way.includes(place)) return [[...way.slice(way.indexOf(place)), place]];
    if (done.has(place)) return [];
    const circles = [...(targets.get(place) ?? [])].flatMap((to) => findCircles(to, [...way, place]));
    done.add(place);
    return circles;
  };
  expect([...targets.keys()].flatMap((place) => findCircles(place, []))).toEqual([]);
});

test('no package mentions the subject of the service', () => {
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
