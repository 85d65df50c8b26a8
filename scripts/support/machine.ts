/**
 * The machine: the files and folders that serve any contract. `npm run new` copies them into a new project and leaves
 * the rest behind. Everything else under src is the service: this contract's own code, in whatever folders it likes.
 */
export const MACHINE: readonly string[] = [
  '.dockerignore',
  '.gitignore',
  'LICENSE',
  'biome.json',
  'tsconfig.json',
  'scripts/build',
  'scripts/build.ts',
  'scripts/contract-tests',
  'scripts/contract-tests.ts',
  'scripts/dev',
  'scripts/dev.ts',
  'scripts/generate',
  'scripts/generate.ts',
  'scripts/support',
  'scripts/tsconfig.package.json',
  'src/auth',
  'src/client',
  'src/contract',
  'src/engines',
  'src/http',
  'src/program',
  'tests/auth',
  'tests/client',
  'tests/contract',
  'tests/contract-tests',
  'tests/engines',
  'tests/http',
  'tests/layers.test.ts',
  'tests/program',
  'tests/scripts/contract.yaml',
  'tests/scripts/generate.long.test.ts',
  'tests/setup.ts',
  'tests/support',
  'tests/tsconfig.json',
  'tests/types',
];

/** Whether a file belongs to the machine; its path is relative to the project, with slashes. */
export const isMachine = (file: string): boolean =>
  MACHINE.some((path) => file === path || file.startsWith(`${path}/`));
