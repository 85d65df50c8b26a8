/**
 * Makes a new project out of this one: the machine, another contract, and a stub for each of its operations.
 *
 *   npm run new -- FOLDER --spec FILE [--name NAME]
 */
import { parseArgs } from 'node:util';
import { createProject } from './new/project.ts';
import { fromCaller } from './support/arguments.ts';

const USAGE = `Usage: npm run new -- FOLDER --spec FILE [--name NAME]

Makes a new project in FOLDER, which must not exist yet or be empty, from the OpenAPI document FILE.
NAME is the name of its package; without it, the folder gives the name.

Example: npm run new -- ../museum --spec museum.yaml`;

const main = async (): Promise<void> => {
  const { values, positionals } = parseArgs({
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

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
