/**
 * Checks the sources of this repository for what neither the compiler nor the linter finds. Part of `npm run check`.
 *
 * Exits 1 if a function is longer than a screen, or if more test files of a package import sources instead of entries
 * than are listed below.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const MOST_LINES = 60;

/** For each package, how many test files still import its own sources, and those of another package. Only lower these. */
const MAY_IMPORT: Readonly<Record<string, readonly [own: number, others: number]>> = {
  contract: [2, 0],
  'contract-tests': [8, 3],
  create: [9, 2],
  reference: [0, 2],
  server: [22, 1],
};

const files = execFileSync('git', ['ls-files', '--', 'src', 'scripts', 'packages'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.tsx?$/.test(file));
const [tests, sources] = [true, false].map((isTest) =>
  files.filter((file) => file.includes('/tests/') === isTest),
);

/** Reports a mistake. */
const report = (sentence: string): void => {
  console.error(sentence);
  process.exitCode = 1;
};

/** The long functions of a file, one sentence each. */
const longFunctionsIn = (file: string): string[] => {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const lineOf = (position: number): number => source.getLineAndCharacterOfPosition(position).line + 1;
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const first = lineOf(node.getStart());
    const lines = lineOf(node.end) - first + 1;
    if (ts.isFunctionLike(node) && lines > MOST_LINES)
      found.push(`${file}:${first} has a function of ${lines} lines; split it, ${MOST_LINES} is the limit`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
};

for (const file of sources ?? []) longFunctionsIn(file).forEach(report);

const packageOf = (path: string): string => path.split('/')[1] ?? '';

/** The packages whose sources a test imports by their paths. */
const sourcesBehind = (file: string): string[] =>
  ts
    .preProcessFile(readFileSync(file, 'utf8'))
    .importedFiles.map(({ fileName }) => (fileName.startsWith('.') ? join(dirname(file), fileName) : ''))
    .filter((path) => /^packages\/[^/]+\/src\//.test(path))
    .map(packageOf);

for (const name of new Set(tests?.map(packageOf))) {
  const imports = (tests ?? [])
    .filter((file) => packageOf(file) === name)
    .map((file) => ({ file, sources: sourcesBehind(file) }));
  const own = imports.filter(({ sources }) => sources.includes(name));
  const others = imports.filter(({ sources }) => sources.some((each) => each !== name));
  const [mostOwn, mostOthers] = MAY_IMPORT[name] ?? [0, 0];
  for (const [found, most, what] of [
    [own, mostOwn, `sources of ${name}`],
    [others, mostOthers, `sources of other packages than ${name}`],
  ] as const) {
    const sentence = `${found.length} test files import ${what}, ${most} may`;
    if (found.length > most)
      report(`${sentence}; import entries instead:\n${found.map(({ file }) => `  ${file}`).join('\n')}`);
    if (found.length < most) console.log(`${sentence}: lower the number in scripts/sources.ts`);
  }
}
