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
  build: 'trellis build',
  check: 'trellis check',
  upgrade: 'trellis upgrade',
  prestart: 'trellis build',
  start: 'node --max-semi-space-size=16 --v8-pool-size=1 --no-maglev dist/bin/cli.js serve',
  pretest: 'trellis build',
  test: 'node --experimental-vm-modules --disable-warning=ExperimentalWarning node_modules/jest/bin/jest.js',
  'pretest:contract': 'trellis build',
  'test:contract': 'node dist/bin/cli.js test',
};

const DEVELOPMENT = {
  '@types/jest': '^30.0.0',
  '@types/node': '^20.19.43',
  jest: '^30.5.2',
  'ts-jest': '^29.4.15',
  typescript: '^5.9.3',
};

const JEST = {
  testEnvironment: 'node',
  roots: ['<rootDir>/tests'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': ['ts-jest', { useESM: true, diagnostics: false }] },
  testTimeout: 30_000,
};

/** The text of package.json. */
export const renderManifest = (options: ManifestOptions): string => {
  const { name, title } = options;
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
      dependencies: Object.fromEntries(Object.entries(served).sort()), // as npm sorts them
      devDependencies: { ...(create !== undefined && { '@trellis/create': create }), ...DEVELOPMENT },
      // npm asks which packages may run scripts when they are installed; none of these needs to.
      allowScripts: {
        esbuild: false,
        '@parcel/watcher': false,
        '@photostructure/sqlite': false,
        'unrs-resolver': false,
      },
      // One glob for all parts of jest, which ask for two; and the newest resolver that is published for all platforms.
      overrides: { glob: '^13.0.7', 'unrs-resolver': '1.12.2' },
      jest: JEST,
    },
    null,
    2,
  )}\n`;
};
