/**
 * Tries Trellis on a folder of OpenAPI documents: makes a project from each, builds it, starts it with stubs, and
 * runs its contract tests. Prints a table. See --help.
 */
import { readdir, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { renderTable } from '@trellis/contract-tests/internal';
import { fromCaller } from '../packages/create/src/npm.ts';
import { type Tried, tryDocument } from './check-world/try-document.ts';
import { readCount } from './support/arguments.ts';

const USAGE = `Usage: npm run check:world -- FOLDER [options]

Makes a project from every OpenAPI document in FOLDER (*.yaml, *.yml, *.json), type-checks it, starts it with stubs,
and runs its contract tests.

  --only TEXT      only documents whose file names contain TEXT
  --requests N     valid requests per operation, 10 by default; invalid ones come on top
  --seed N         the seed of the requests, 1 by default
  --report FILE    write what was refused, warned of and found, in full, to FILE
  --help

Packages on npm have documents to try: @readme/oas-examples, @scalar/galaxy, @octokit/openapi.
Exits 1 unless every document is served and keeps its contract.`;

const DOCUMENTS = new Set(['.yaml', '.yml', '.json']);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: '' },
    requests: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    report: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

/** The header of the table. */
const COLUMNS =
  'document|OpenAPI|operations|generate s|warnings|build s|ready ms|MiB|requests|failures|outcome'.split('|');

/** How much of a reason the table shows. */
const LONGEST = 100;

const inOneLine = (text: string): string => {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
};

const write = (value: number | undefined, digits = 0): string =>
  value === undefined ? '' : value.toLocaleString('en', { maximumFractionDigits: digits });

/** One row of the table. */
const renderRow = (file: string, tried: Tried): string[] => [
  file,
  tried.version,
  write(tried.operations),
  write(tried.generateSeconds, 1),
  write(tried.warnings === '' ? 0 : tried.warnings.split('\n').length),
  write(tried.buildSeconds, 1),
  write(tried.readyMilliseconds),
  write(tried.mebibytes),
  write(tried.requests),
  write(tried.failures),
  tried.failed === undefined ? 'green' : inOneLine(tried.failed),
];

const main = async (): Promise<boolean> => {
  const [folder, ...others] = positionals;
  if (values.help || folder === undefined || others.length > 0) {
    console.log(USAGE);
    return values.help;
  }
  const options = {
    requests: readCount('requests', values.requests),
    seed: readCount('seed', values.seed),
  };
  const files = (await readdir(fromCaller(folder)))
    .filter((file) => DOCUMENTS.has(extname(file)) && file.includes(values.only))
    .sort();
  const rows: string[][] = [];
  const details: string[] = [];
  let served = 0;
  for (const [index, file] of files.entries()) {
    const tried = await tryDocument(join(fromCaller(folder), file), options);
    if (tried.failed === undefined) served += 1;
    const row = renderRow(file, tried);
    rows.push(row);
    details.push(`# ${file}`, tried.warnings, tried.failed ?? 'served', '');
    console.error(`${index + 1} of ${files.length}  ${row.join('  ')}`);
  }
  if (values.report !== undefined) await writeFile(fromCaller(values.report), details.join('\n'));
  console.log(`${renderTable(COLUMNS, rows)}\n\n${served} of ${files.length} served and green`);
  return served === files.length;
};

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
