import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, TRELLIS } from '@trellis/test-support/scratch';
import { temporaryFolders } from '@trellis/test-support/temporary';
import ts from 'typescript';

const GENERATED = join(ROOT, 'generated/openapi.ts');
const CLIENT = join(ROOT, 'generated/client.ts');
const HANDLERS = join(ROOT, 'tests/types/virtual.ts');

const compilerOptions = (): ts.CompilerOptions =>
  ts.getParsedCommandLineOfConfigFile(
    join(ROOT, 'tests/tsconfig.json'),
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic() {} },
  )?.options ?? {};

/** The diagnostics of the compiler, with generated types in place of this repository's. */
const diagnosticsOf = (types: string, handlers: string, client?: string): readonly ts.Diagnostic[] => {
  const options = compilerOptions();
  const host = ts.createCompilerHost(options);
  const texts = new Map([
    [GENERATED, types],
    [HANDLERS, handlers],
    ...(client === undefined ? [] : [[CLIENT, client] as const]),
  ]);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => texts.has(name) || fileExists(name);
  host.getSourceFile = (name, version, ...rest) => {
    const text = texts.get(name);
    return text === undefined
      ? getSourceFile(name, version, ...rest)
      : ts.createSourceFile(name, text, version);
  };
  return ts.getPreEmitDiagnostics(ts.createProgram([HANDLERS], options, host));
};

/** The lines that the compiler complains of. */
export const complaintsOf = (types: string, handlers: string, client?: string): number[] =>
  diagnosticsOf(types, handlers, client).map(({ file, start = 0 }) =>
    file?.fileName === HANDLERS ? file.getLineAndCharacterOfPosition(start).line + 1 : 0,
  );

/** The documentation that an editor shows of the name after each marker in a file of a project. */
export const hoversIn = (file: string): string[] => {
  const text = ts.sys.readFile(file) ?? '';
  const service = ts.createLanguageService({
    ...ts.sys,
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    getCompilationSettings: compilerOptions,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => ts.ScriptSnapshot.fromString(ts.sys.readFile(name) ?? ''),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  });
  return [...text.matchAll(/\/\*\?\*\//g)].map(({ index }) => {
    const { documentation, tags = [] } = service.getQuickInfoAtPosition(file, index + 5) ?? {};
    const shown = tags.map((tag) => `@${tag.name} ${ts.displayPartsToString(tag.text)}`);
    return [ts.displayPartsToString(documentation), ...shown].filter(Boolean).join('\n');
  });
};

/** The first line of each complaint. */
export const messagesOf = (types: string, handlers: string): string[] =>
  diagnosticsOf(types, handlers).map(
    ({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n').split('\n', 1)[0] ?? '',
  );

/** The lines that must not compile: they are marked with `error`. */
export const expectedOf = (handlers: string): number[] =>
  handlers.split('\n').flatMap((line, index) => (line.includes('// error:') ? [index + 1] : []));

const headOf = (version: string) => `openapi: ${version}
info: { title: Things, version: '1', license: { name: MIT, identifier: MIT } }
servers: [{ url: / }]
security: []
`;

/** Returns a function that generates a project from a contract, given without the head that all contracts share. */
export const projectFactory = () => {
  const makeFolder = temporaryFolders();
  return async (rest: string, version = '3.1.0'): Promise<string> => {
    const folder = await makeFolder();
    await writeFile(join(folder, 'openapi.yaml'), headOf(version) + rest);
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    await once(spawn(process.execPath, [...TRELLIS, 'generate'], { cwd: folder }), 'close');
    return folder;
  };
};

/** Returns a function that generates the types of such a contract. */
export const generatorFactory = () => {
  const makeProject = projectFactory();
  return async (...contract: Parameters<typeof makeProject>): Promise<string> =>
    readFile(join(await makeProject(...contract), 'generated/openapi.ts'), 'utf8');
};
