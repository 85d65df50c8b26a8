import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Something that an entry of a package exports. */
export interface Export {
  readonly name: string;
  /** Whether it is a type, and nothing that exists while a program runs. */
  readonly isType: boolean;
  /** The first sentence of its JSDoc. */
  readonly words: string;
}

/** What can be imported from a package: `@trellis/server/sqlite`. */
export interface Entry {
  readonly specifier: string;
  readonly exports: readonly Export[];
}

/** A package, with its README and all of its entries. */
export interface Package {
  readonly name: string;
  readonly readme: string;
  readonly entries: readonly Entry[];
}

interface Target {
  readonly specifier: string;
  /** The file of its source. */
  readonly file: string;
}

const targetsOf = (folder: string): Target[] => {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const targets: [string, string | { source: string }][] = Object.entries(manifest.exports);
  return targets.flatMap(([entry, target]) =>
    typeof target === 'string'
      ? []
      : [{ specifier: join(manifest.name, entry), file: join(folder, target.source) }],
  );
};

const firstSentence = (text: string): string =>
  (text.split(/(?<=[.!?])\s|\n\n/)[0] ?? '')
    .replaceAll(/\s+/g, ' ')
    .replace(/\.$/, '')
    .replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());

/** Reads the exports of source files: those that a file exports of others included. */
const createReader = (files: readonly string[]): ((file: string) => Export[]) => {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const program = ts.createProgram(files, options);
  const checker = program.getTypeChecker();
  const toExport = (symbol: ts.Symbol): Export => {
    const of = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return {
      name: symbol.name,
      isType: !(of.flags & ts.SymbolFlags.Value),
      words: firstSentence(ts.displayPartsToString(of.getDocumentationComment(checker))),
    };
  };
  return (file) => {
    const source = program.getSourceFile(file);
    if (!source) throw new Error(`${file} is missing, but an entry of its package leads to it`);
    const module = checker.getSymbolAtLocation(source);
    return module ? checker.getExportsOfModule(module).map(toExport) : []; // a program exports nothing
  };
};

/** Reads what every package exports, types included, from its sources. */
export const readPackages = (): Package[] => {
  const folders = readdirSync(join(ROOT, 'packages')).map((name) => join(ROOT, 'packages', name));
  const packages = folders.map((folder) => ({ folder, targets: targetsOf(folder) }));
  const read = createReader(packages.flatMap(({ targets }) => targets.map(({ file }) => file)));
  return packages.map(({ folder, targets }) => ({
    name: folder.slice(join(ROOT, 'packages').length + 1),
    readme: join(folder, 'README.md'),
    entries: targets.map(({ specifier, file }) => ({ specifier, exports: read(file) })),
  }));
};

/** What an entry is for, where its name does not say it. */
const NOTES: Readonly<Record<string, string>> = {
  internal: 'For packages of the same version. No promise is made about it.',
  programs: 'A program that a build bundles as a file of its own. It exports nothing.',
};

const noteOf = (specifier: string): string => {
  const [, , part = ''] = specifier.split('/');
  return NOTES[part] === undefined ? '' : `${NOTES[part]}\n\n`;
};

const renderEntry = ({ specifier, exports }: Entry): string => {
  const lines = exports
    .toSorted((one, other) => one.name.localeCompare(other.name, 'en'))
    .map(({ name, isType, words }) => `- \`${name}\`${isType ? ' (type)' : ''}: ${words}`);
  return `### \`${specifier}\`\n\n${noteOf(specifier)}${lines.join('\n')}`.trimEnd();
};

/** Where the list of exports begins in a README. It goes on to the end. */
const LIST = '\n## Exports\n';

/** The README of a package, with a list of what its entries export now. */
export const renderReadme = (text: string, entries: readonly Entry[]): string => {
  const [head = ''] = text.split(LIST);
  return `${head.trimEnd()}\n${LIST}\n${entries.map(renderEntry).join('\n\n')}\n`;
};
