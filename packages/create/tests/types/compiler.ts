import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT, TRELLIS } from '../../../../tests/support/scratch.ts';
import { temporaryFolders } from '../../../../tests/support/temporary.ts';

const GENERATED = join(ROOT, 'generated/openapi.ts');
const CLIENT = join(ROOT, 'generated/client.ts');
const HANDLERS = join(ROOT, 'tests/types/virtual.ts');

/** What the compiler complains of, with types that stand in for those of this repository. */
const diagnosticsOf = (types: string, handlers: string, client?: string): readonly ts.Diagnostic[] => {
  const { options = {} } =
    ts.getParsedCommandLineOfConfigFile(
      join(ROOT, 'tests/tsconfig.json'),
      {},
      { ...ts.sys, onUnRecoverableConfigFileDiagnostic() {} },
    ) ?? {};
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

/** The first line of each complaint. */
export const messagesOf = (types: string, handlers: string): string[] =>
  diagnosticsOf(types, handlers).map(
    ({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n').split('\n', 1)[0] ?? '',
  );

/** The lines that it must complain of: they say so. */
export const expectedOf = (handlers: string): number[] =>
  handlers.split('\n').flatMap((line, index) => (line.includes('// error:') ? [index + 1] : []));

const headOf = (version: string) => `openapi: ${version}
info: { title: Things, version: '1', license: { name: MIT, identifier: MIT } }
servers: [{ url: / }]
security: []
`;

/** Makes what generates the types of a contract: of what follows the head that all of them have. */
export const generatorFactory = () => {
  const makeFolder = temporaryFolders();
  return async (rest: string, version = '3.1.0'): Promise<string> => {
    const folder = await makeFolder();
    await writeFile(join(folder, 'openapi.yaml'), headOf(version) + rest);
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    await once(spawn(process.execPath, [...TRELLIS, 'generate'], { cwd: folder }), 'close');
    return readFile(join(folder, 'generated/openapi.ts'), 'utf8');
  };
};
