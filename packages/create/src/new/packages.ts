/** Finds the packages of Trellis for a project: tarballs in its folder `vendor`, or the registry. */
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Config } from '../config.ts';
import { runNpm } from '../npm.ts';

/** What package.json depends on, by name. */
export type Dependencies = Readonly<Record<string, string>>;

/** The packages of Trellis, each after the packages that it depends on. */
export const PACKAGES = [
  'openapi',
  'client',
  'reference',
  'contract',
  'server',
  'data',
  'outbox',
  'contract-tests',
  'create',
] as const;

/** The folder of a project with the tarballs. */
export const VENDOR = 'vendor';

const require = createRequire(import.meta.url);

/** The folder of an installed package; its name in the registry if a project without a store has not installed it. */
const sourceOf = (name: string, version: string): string => {
  try {
    return dirname(require.resolve(`@trellis/${name}/package.json`));
  } catch {
    return `@trellis/${name}@${version}`;
  }
};

/** The version of all packages. */
export const readVersion = async (): Promise<string> =>
  JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')).version;

/**
 * Calls `use` with a folder of tarballs: those from the configuration, else of the packages as they are
 * installed.
 */
export const withTarballs = async <Result>(
  { tarballs }: Pick<Config, 'tarballs'>,
  use: (folder: string) => Promise<Result>,
): Promise<Result> => {
  if (tarballs) return use(await tarballs());
  const folder = await mkdtemp(join(tmpdir(), 'trellis-'));
  try {
    const version = await readVersion();
    const sources = PACKAGES.map((name) => sourceOf(name, version));
    await runNpm(folder, ['pack', ...sources, '--ignore-scripts', '--silent']);
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** The tarball of each package in a folder, by the name of the package. Throws if one is missing. */
export const findTarballs = async (folder: string): Promise<ReadonlyMap<string, string>> => {
  const files = await readdir(folder);
  return new Map(
    PACKAGES.map((name) => {
      const [file, ...others] = files.filter((each) =>
        new RegExp(`^trellis-${name}-\\d.*\\.tgz$`).test(each),
      );
      if (file === undefined) throw new Error(`${folder} has no tarball of @trellis/${name}`);
      if (others.length > 0) throw new Error(`${folder} has several versions of @trellis/${name}`);
      return [`@trellis/${name}`, file];
    }),
  );
};

/** Copies the tarballs of a folder into a project, and returns the project's dependencies on them. */
export const copyTarballs = async (from: string, project: string): Promise<Dependencies> => {
  const tarballs = await findTarballs(from);
  await mkdir(join(project, VENDOR), { recursive: true });
  for (const file of tarballs.values()) await copyFile(join(from, file), join(project, VENDOR, file));
  return Object.fromEntries([...tarballs].map(([name, file]) => [name, `file:${VENDOR}/${file}`]));
};

/** The packages from the registry: exactly this version, since all of them are published together. */
export const fromRegistry = (version: string): Dependencies =>
  Object.fromEntries(PACKAGES.map((name) => [`@trellis/${name}`, version]));
