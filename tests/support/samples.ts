import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { read } from './pages.ts';
import { ROOT } from './scratch.ts';

/** The options of this repository, for code that stands elsewhere. */
const OPTIONS = {
  ...ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile).config,
    ts.sys,
    ROOT,
  ).options,
  typeRoots: [join(ROOT, 'node_modules/@types')],
};

/** What Node is started with to run TypeScript with the packages as sources. */
export const FROM_SOURCES = ['--conditions=source', '--import', import.meta.resolve('tsx')];

/** Puts samples into a folder that has the packages of this repository, and nothing else. */
export const writeSamples = async (
  folder: string,
  samples: Readonly<Record<string, string>>,
): Promise<void> => {
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  for (const [file, text] of Object.entries(samples)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
};

/** Imports the code of a page under a heading, verbatim. */
export const importSample = async (folder: string, page: string, heading: string) => {
  const section = read(page).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  await writeSamples(folder, { 'sample.ts': /```ts\n([\s\S]*?)```/.exec(section)?.[1] ?? '' });
  return import(join(folder, 'sample.ts'));
};

/** The diagnostics of the compiler for samples. */
export const compileSamples = (folder: string, files: readonly string[]): string[] => {
  const program = ts.createProgram(
    files.map((file) => join(folder, file)),
    OPTIONS,
  );
  return ts
    .getPreEmitDiagnostics(program)
    .map(
      ({ file, messageText }) =>
        `${file?.fileName.slice(folder.length + 1)}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
};

/** Runs a sample and returns its output. Throws if it fails. */
export const runSample = async (folder: string, file: string): Promise<string> => {
  const { stdout } = await promisify(execFile)(process.execPath, [...FROM_SOURCES, file], {
    cwd: folder,
    timeout: 120_000,
  });
  return stdout;
};
