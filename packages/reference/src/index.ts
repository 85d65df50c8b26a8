import type { ReferenceFiles } from './files.ts';

export type { ReferenceFiles };

let built: Promise<ReferenceFiles> | undefined;

/** Gives the files. From the sources they are built when they are first asked for; in the package they are built already. */
export const loadReference = (): Promise<ReferenceFiles> => {
  built ??= import('./build.ts').then(({ buildReference }) => buildReference());
  return built;
};
