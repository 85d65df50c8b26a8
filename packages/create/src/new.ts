/**
 * trellis new FOLDER --spec FILE: makes a project out of an OpenAPI document, with a stub for each of its operations. It
 * depends on the packages of Trellis and holds nothing of them.
 */
import type { Config } from './config.ts';
import { createProject, type ProjectOptions } from './new/project.ts';
import { fromCaller } from './npm.ts';

/** `trellis new`: makes the project and tells the next commands. */
export const runNew = async (options: ProjectOptions, config: Config): Promise<true> => {
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
  return true;
};
