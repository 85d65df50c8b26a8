/**
 * Makes a new project out of this one: the machine, another contract, and a stub for each of its operations.
 *
 *   npm run new -- FOLDER --spec FILE [--name NAME]
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createProject } from './new/project.ts';

/** A path as whoever typed the command means it: npm changes to the folder of package.json. */
const fromCaller = (path: string): string => resolve(process.env.INIT_CWD ?? '.', path);

const USAGE = `Usage: npm run new -- FOLDER --spec FILE [--name NAME]

Makes a new project in FOLDER, which must not exist yet or be empty, from the OpenAPI document FILE.
NAME is the name of its package; without it, the folder gives the name.

Example: npm run new -- ../museum --spec museum.yaml`;

const make = async (args: readonly string[]): Promise<void> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { spec: { type: 'string' }, name: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  if (values.help) return console.log(USAGE);
  const [target, ...others] = positionals;
  if (target === undefined || values.spec === undefined || others.length > 0) throw new Error(USAGE);
  const folder = fromCaller(target);
  const { name, operations, warnings } = await createProject({
    folder,
    spec: fromCaller(values.spec),
    name: values.name,
  });
  if (warnings !== '') console.error(warnings);
  const count = operations === 1 ? '1 operation, a stub' : `${operations} operations, each a stub`;
  console.log(`${name} is made in ${folder}: ${count} that answers with the example of the contract.

Next:
  cd ${target}
  npm ci && npm start`);
};

/** `trellis new`. Gives the exit code. */
export const runNew = async (args: readonly string[]): Promise<number> =>
  make(args).then(
    () => 0,
    (error: unknown) => {
      console.error(error instanceof Error ? error.message : error);
      return 1;
    },
  );
