/** The files of the API reference. The page that loads them has an element with the id `reference`. */
export interface ReferenceFiles {
  readonly script: string;
  readonly style: string;
}

let built: Promise<ReferenceFiles> | undefined;

/** Gives the files. From the sources they are built when they are first asked for; in the package they are built already. */
export const loadReference = (): Promise<ReferenceFiles> => {
  built ??= import('./build.ts').then(({ buildReference }) => buildReference());
  return built;
};
