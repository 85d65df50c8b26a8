import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const FILE = fileURLToPath(new URL('handlers.ts', import.meta.url));
const CONFIG = fileURLToPath(new URL('../tsconfig.json', import.meta.url));

/** The lines that the compiler complains about, in a text that stands in for the file. */
const errorLines = (text: string): number[] => {
  const { options } = ts.getParsedCommandLineOfConfigFile(
    CONFIG,
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic() {} },
  ) ?? {
    options: {},
  };
  const host = ts.createCompilerHost(options);
  const readFile = host.readFile.bind(host);
  host.getSourceFile = (name, version) => {
    const source = name === FILE ? text : readFile(name);
    return source === undefined ? undefined : ts.createSourceFile(name, source, version);
  };
  const diagnostics = ts.getPreEmitDiagnostics(ts.createProgram([FILE], options, host));
  return diagnostics.flatMap(({ file, start }) =>
    file?.fileName === FILE && start !== undefined
      ? [file.getLineAndCharacterOfPosition(start).line + 1]
      : [0],
  );
};

const source = readFileSync(FILE, 'utf8');
const lines = source.split('\n');
const expected = lines.flatMap((line, index) => (line.includes('// @ts-expect-error') ? [index + 1] : []));

test('whole handlers compile, and what breaks the contract does not', () => {
  expect(errorLines(source)).toEqual([]);
});

test('a missing handler, an undeclared status and a body of another shape are errors of their own', () => {
  const undirected = source.replaceAll('@ts-expect-error', 'an error:');
  expect(expected).toHaveLength(9);
  // A long line is wrapped by the formatter, so the complaint may stand a few lines below the remark.
  const complaints = errorLines(undirected);
  expect(complaints).toHaveLength(expected.length);
  expect(complaints.every((line, index) => line > (expected[index] ?? 0))).toBe(true);
});
