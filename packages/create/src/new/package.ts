/** package.json and package-lock.json of a new project, derived from ours. */

/** The rules of npm for new packages. */
const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
const LONGEST = 214;

/** Scripts that are about the service of this project, or make new ones. */
const LEFT_OUT = new Set(['new', 'check:world', 'drill', 'bench']);

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
export interface PackageOptions {
  readonly name: string;
  readonly title: string;
  /** The files that the contract is made of. */
  readonly contractFiles: readonly string[];
}

/** Gives our package.json another name. The machine needs all of our dependencies. */
export const renderPackage = (ours: string, { name, title, contractFiles }: PackageOptions): string => {
  const own = JSON.parse(ours);
  const scripts = Object.entries(own.scripts).filter(([script]) => !LEFT_OUT.has(script));
  return `${JSON.stringify(
    {
      ...own,
      name,
      version: '0.1.0',
      private: true,
      description: `${title}, served from its OpenAPI contract`,
      bin: { [commandOf(name)]: 'dist/bin/cli.js' },
      files: [...new Set([...own.files, ...contractFiles])],
      scripts: Object.fromEntries(scripts),
    },
    null,
    2,
  )}\n`;
};

/** Gives our package-lock.json another name; the packages are the same. */
export const renderLock = (ours: string, name: string): string => {
  const { packages, ...others } = JSON.parse(ours);
  const { '': root, ...installed } = packages;
  const own = { ...root, name, version: '0.1.0', bin: { [commandOf(name)]: 'dist/bin/cli.js' } };
  const lock = { ...others, name, version: '0.1.0', packages: { '': own, ...installed } };
  return `${JSON.stringify(lock, null, 2)}\n`;
};
