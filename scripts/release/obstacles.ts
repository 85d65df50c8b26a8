/** The parts of a package.json that a release looks at. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const SCOPE = '@trellis/';

const needsOf = ({ dependencies, devDependencies }: Manifest): [string, string][] =>
  Object.entries({ ...dependencies, ...devDependencies }).filter(([name]) => name.startsWith(SCOPE));

/** The obstacles to a release, a sentence each: versions that differ, or a changelog without an entry. */
export const findObstacles = (manifests: readonly Manifest[], changelog: string): string[] => {
  const version = manifests[0]?.version ?? '';
  const others = manifests
    .filter((each) => each.version !== version)
    .map((each) => `${each.name} has version ${each.version}, and ${manifests[0]?.name} ${version}`);
  const stale = manifests.flatMap((manifest) =>
    needsOf(manifest)
      .filter(([, wanted]) => wanted !== version)
      .map(([name, wanted]) => `${manifest.name} depends on ${name} ${wanted}, not ${version}`),
  );
  const entry = changelog.split(/^## /m).find((section) => section.split(/\s/, 1)[0] === version);
  const silent = entry === undefined || entry.trim() === version;
  return [...others, ...stale, ...(silent ? [`CHANGELOG.md says nothing under ## ${version}`] : [])];
};
