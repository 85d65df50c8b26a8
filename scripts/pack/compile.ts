import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ts from 'typescript';

const FORMAT: ts.FormatDiagnosticsHost = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => process.cwd(),
  getNewLine: () => '\n',
};

/** Files that are not compiled: the reference is bundled for browsers. */
const isBundled = (file: string): boolean =>
  /[\\/]reference[\\/]src[\\/](?:browser[\\/]|build\.(?:d\.)?[jt]s$)/.test(file);

const optionsOf = (packages: string, out: string): ts.CompilerOptions => {
  const { config } = ts.readConfigFile(join(packages, '../tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, packages);
  return {
    ...options,
    noEmit: false,
    declaration: true,
    rewriteRelativeImportExtensions: true,
    rootDir: packages,
    outDir: out,
  };
};

/**
 * Compiles all packages at once, each from its sources: `X/src/name.ts` becomes `X/dist/name.js` and `X/dist/name.d.ts`
 * in the folder `out`. Throws where a declaration cannot be written; `npm run check` checks the types.
 */
export const compilePackages = (packages: string, names: readonly string[], out: string): void => {
  const files = names.flatMap((name) => ts.sys.readDirectory(join(packages, name, 'src'), ['.ts']));
  const program = ts.createProgram(
    files.filter((file) => !isBundled(file)),
    optionsOf(packages, out),
  );
  const { diagnostics } = program.emit(undefined, (file, text) => {
    if (isBundled(file)) return;
    const [name = '', , ...path] = relative(out, file).split(sep);
    const target = join(out, name, 'dist', ...path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  });
  if (diagnostics.length > 0)
    throw new Error(
      `not packed: there are no declarations of these\n${ts.formatDiagnostics(diagnostics, FORMAT)}`,
    );
};

/** The specifiers that a file imports. */
export const importsOf = (file: string): string[] =>
  ts.preProcessFile(readFileSync(file, 'utf8'), true, true).importedFiles.map(({ fileName }) => fileName);
