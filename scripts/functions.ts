/**
 * Finds functions that are longer than a screen. Part of `npm run check`.
 *
 * Exits 1 if a function has more than 60 lines and its package is not an exception.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ts from 'typescript';

const MOST_LINES = 60;

/** Packages that still have long functions. The list is to become empty. */
const EXCEPTIONS = /^packages\/(?:contract|data|outbox)\//;

const sources = execFileSync('git', ['ls-files', '--', 'src', 'scripts', 'packages'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.tsx?$/.test(file) && !/\/tests\//.test(file));

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

const [excepted, others] = [true, false].map((isExcepted) =>
  sources.filter((file) => EXCEPTIONS.test(file) === isExcepted).flatMap(longFunctionsIn),
);
for (const sentence of others ?? []) console.error(sentence);
console.log(`${excepted?.length} functions of packages that are excepted have more than ${MOST_LINES} lines`);
process.exitCode = others?.length === 0 ? 0 : 1;
