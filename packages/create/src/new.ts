/**
 * trellis new FOLDER --spec FILE: makes a project out of an OpenAPI document, with a stub for each of its operations. It
 * depends on the packages of Trellis and holds nothing of them.
 */
import type { Config } from './config.ts';
import { createProject, type ProjectOptions } from './new/project.ts';
import { findTypeFaults } from './new/type-faults.ts';
import { fromCaller } from './npm.ts';

/** `trellis new`: makes the project, checks its types, and tells the next commands. False if the types do not compile. */
export const runNew = async (options: ProjectOptions, config: Config): Promise<boolean> => {
  const folder = fromCaller(options.folder);
  const { name, operations, warnings } = await createProject(
    { ...options, folder, spec: fromCaller(options.spec) },
    config,
  );
  if (warnings !== '') console.error(warnings);
  const count = operations === 1 ? '1 operation, a stub' : `${operations} operations, each a stub`;
  console.log(`${name} is made in ${folder}: ${count} that answers with the example of the contract.

Next:
  cd ${options.folder}
  npm ci && npm start`);
  const faults = await findTypeFaults(folder, config.conditions ?? []);
  if (faults.length === 0) return true;
  console.error(`
The generated types do not compile. That is a fault of Trellis, and not of your contract. Please report it:
${faults.join('\n')}`);
  return false;
};
