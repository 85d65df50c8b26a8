/** package.json of a new project. */
import type { Dependencies } from './packages.ts';
import type { StoreKind } from './templates.ts';

/** The rules of npm for new packages. */
const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
const LONGEST = 214;

/** Throws if a package cannot have this name. */
export const checkName = (name: string): void => {
  if (NAME.test(name) && name.length <= LONGEST) return;
  throw new Error(
    `"${name}" cannot be the name of a package; use lower-case letters, digits and hyphens, as in --name my-service`,
  );
};

/** The command of a package: its name without the scope. */
export const commandOf = (name: string): string => name.replace(/^@[^/]*\//, '');

/** What decides the package.json of a project. */
export interface ManifestOptions {
  readonly name: string;
  readonly title: string;
  /** The packages of Trellis. */
  readonly packages: Dependencies;
  readonly store: StoreKind;
  /** Whether the contract declares webhooks or callbacks. */
  readonly sends: boolean;
  /** Whether the contract has misspelt keywords, which `generate` would refuse. */
  readonly hasTypos: boolean;
}

/** Kysely, a peer dependency of `@trellis/data`, which the project and the data layer must share. */
const KYSELY: Dependencies = { kysely: '^0.28.18' };

/** The packages that a project needs for its store and its webhooks. */
const neededBy = ({ packages, store, sends }: ManifestOptions): Dependencies => {
  if (store !== 'none') return { ...packages, ...KYSELY };
  const { '@trellis/data': _, '@trellis/outbox': outbox, ...others } = packages;
  return { ...others, ...(outbox !== undefined && sends && { '@trellis/outbox': outbox }) };
};

const SCRIPTS = {
  generate: 'trellis generate',
  dev: 'trellis dev',
  start: 'node --import tsx src/cli.ts serve',
  test: 'node --import tsx --test tests/*.test.ts',
  'test:contract': 'node --import tsx src/cli.ts test',
  check: 'trellis check',
  build: 'trellis build',
  upgrade: 'trellis upgrade',
};

const DEVELOPMENT = {
  '@types/node': '^20.19.43',
  tsx: '^4.23.15',
  typescript: '^5.9.3',
};

/** The text of package.json. */
export const renderManifest = (options: ManifestOptions): string => {
  const { name, title, hasTypos } = options;
  const { '@trellis/create': create, ...served } = neededBy(options);
  return `${JSON.stringify(
    {
      name,
      version: '0.1.0',
      private: true,
      description: `${title}, served from its OpenAPI contract`,
      type: 'module',
      engines: { node: '^20.19 || >=22.12' },
      bin: { [commandOf(name)]: 'dist/bin/cli.js' },
      files: ['dist', '!dist/.*', '!dist/**/*.map'],
      scripts: SCRIPTS,
      ...(hasTypos && { trellis: { allowTypos: true } }),
      dependencies: Object.fromEntries(Object.entries(served).sort()), // as npm sorts them
      devDependencies: { ...(create !== undefined && { '@trellis/create': create }), ...DEVELOPMENT },
    },
    null,
    2,
  )}\n`;
};
