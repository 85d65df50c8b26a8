import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** An export of a package. */
export interface Export {
  readonly name: string;
  /** True for a type, false for a value. */
  readonly isType: boolean;
  /** The first sentence of its JSDoc. */
  readonly words: string;
  /** Whether its JSDoc has an `@example`. */
  readonly hasExample: boolean;
  /** The file that declares it, and its name there: the same for a re-export. */
  readonly declaration: string;
}

/** A public entry of a package, such as `@trellis/openapi/types`. */
export interface Entry {
  readonly specifier: string;
  readonly exports: readonly Export[];
}

/** A package, with its README and its public entries. Entries below `./internal` are for packages of the same version. */
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
    typeof target === 'string' || entry.startsWith('./internal')
      ? []
      : [{ specifier: join(manifest.name, entry), file: join(folder, target.source) }],
  );
};

const firstSentence = (text: string): string =>
  (text.split(/(?<=[.!?])\s|\n\n/)[0] ?? '')
    .replaceAll(/\s+/g, ' ')
    .replace(/\.$/, '')
    .replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());

/** Creates a function that reads the exports of a source file, re-exports included. */
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
      declaration: `${of.declarations?.[0]?.getSourceFile().fileName} ${of.name}`,
      hasExample: of.getJsDocTags(checker).some(({ name }) => name === 'example'),
    };
  };
  return (file) => {
    const source = program.getSourceFile(file);
    if (!source) throw new Error(`${file} is missing, but package.json names it as an entry`);
    const module = checker.getSymbolAtLocation(source);
    return module ? checker.getExportsOfModule(module).map(toExport) : []; // a program exports nothing
  };
};

/** Reads the public exports of all packages, types included, from their sources. */
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

const noteOf = (specifier: string): string =>
  specifier.includes('/programs/')
    ? 'A program that a build bundles as a separate file. It exports nothing.\n\n'
    : '';

const renderEntry = ({ specifier, exports }: Entry): string => {
  const lines = exports
    .toSorted((one, other) => one.name.localeCompare(other.name, 'en'))
    .map(({ name, isType, words }) => `- \`${name}\`${isType ? ' (type)' : ''}: ${words}`);
  return `### \`${specifier}\`\n\n${noteOf(specifier)}${lines.join('\n')}`.trimEnd();
};

/** The heading above the list of exports, which is the last part of a README. */
const LIST = '\n## Exports\n';

/** Renders the README of a package with an up-to-date list of its public exports. */
export const renderReadme = (text: string, entries: readonly Entry[]): string => {
  const [head = ''] = text.split(LIST);
  return `${head.trimEnd()}\n${LIST}\n${entries.map(renderEntry).join('\n\n')}\n`;
};
