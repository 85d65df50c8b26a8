/**
 * trellis new FOLDER --spec FILE: makes a project out of an OpenAPI document, with a stub for each of its operations. It
 * depends on the packages of Trellis and holds nothing of them.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Config } from './config.ts';
import { createProject } from './new/project.ts';
import { STORES, type StoreKind } from './new/templates.ts';

/** A path as whoever typed the command means it: npm changes to the folder of package.json. */
const fromCaller = (path: string): string => resolve(process.env.INIT_CWD ?? '.', path);

const USAGE = `Usage: trellis new FOLDER --spec FILE [--name NAME] [--store sqlite|postgres|none] [--registry]

Makes a new project in FOLDER, which must not exist yet or be empty, from the OpenAPI document FILE.

Options:
  --name NAME    the name of its package; the folder gives it otherwise
  --store KIND   where it keeps data: sqlite (the default), postgres or none
  --registry     depend on the published packages, instead of tarballs in FOLDER/vendor

Example: trellis new ../museum --spec museum.yaml`;

const storeFrom = (text: string): StoreKind => {
  const store = STORES.find((each) => each === text);
  if (store === undefined) throw new Error(`--store must be one of ${STORES.join(', ')}, not "${text}"`);
  return store;
};

const make = async (args: readonly string[], config: Config): Promise<void> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      spec: { type: 'string' },
      name: { type: 'string' },
      store: { type: 'string', default: 'sqlite' },
      registry: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
  });
  if (values.help) return console.log(USAGE);
  const [target, ...others] = positionals;
  if (target === undefined || values.spec === undefined || others.length > 0) throw new Error(USAGE);
  const folder = fromCaller(target);
  const { name, operations, warnings } = await createProject(
    {
      folder,
      spec: fromCaller(values.spec),
      name: values.name,
      store: storeFrom(values.store),
      registry: values.registry,
    },
    config,
  );
  if (warnings !== '') console.error(warnings);
  const count = operations === 1 ? '1 operation, a stub' : `${operations} operations, each a stub`;
  console.log(`${name} is made in ${folder}: ${count} that answers with the example of the contract.

Next:
  cd ${target}
  npm ci && npm start`);
};

/** `trellis new`. Gives the exit code. */
export const runNew = async (args: readonly string[], config: Config): Promise<number> =>
  make(args, config).then(
    () => 0,
    (error: unknown) => {
      console.error(error instanceof Error ? error.message : error);
      return 1;
    },
  );
