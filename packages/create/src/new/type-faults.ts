/** Finds errors in the types of a new project. The contract is valid, so each of them is a fault of ours. */
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadDocument } from '@trellis/openapi';
import { dumpExact } from '@trellis/openapi/internal/document';
import { pointerTo, valueAt } from '@trellis/openapi/internal/json';
import ts from 'typescript';

const HERE = fileURLToPath(import.meta.url);

/** The folder of `@types/node`. */
const TYPE_ROOT = dirname(dirname(createRequire(import.meta.url).resolve('@types/node/package.json')));

/** A program of the generated files and the stubs. The project has no node_modules yet: the installed packages are used. */
const createProgram = (folder: string, conditions: readonly string[]): ts.Program => {
  const { config } = ts.readConfigFile(join(folder, 'tsconfig.json'), ts.sys.readFile);
  const compilerOptions = { ...config.compilerOptions, types: ['node'], customConditions: conditions };
  const content = { ...config, include: ['generated', 'src/handlers.ts'], compilerOptions };
  const { options, fileNames } = ts.parseJsonConfigFileContent(content, ts.sys, folder);
  options.typeRoots = [TYPE_ROOT];
  const host = ts.createCompilerHost(options);
  host.resolveModuleNameLiterals = (names, from, redirected, given, file) =>
    names.map((name) => {
      const isOwn = name.text.startsWith('.') || !from.startsWith(folder + sep);
      const mode = ts.getModeForUsageLocation(file, name, given);
      return ts.resolveModuleName(name.text, isOwn ? from : HERE, given, host, undefined, redirected, mode);
    });
  return ts.createProgram(fileNames, options, host);
};

/** The names of the members that a place in the types is in: `components`, `schemas`, `Thing`. */
const membersAt = (file: ts.SourceFile, start: number): string[] => {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (start < node.getStart(file) || start >= node.getEnd()) return;
    const isMember = ts.isPropertySignature(node) || ts.isInterfaceDeclaration(node);
    if (isMember && (ts.isIdentifier(node.name) || ts.isStringLiteral(node.name))) names.push(node.name.text);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return names;
};

/** The errors of the compiler in the generated files of a new project, each with the schema that caused it. */
export const findTypeFaults = async (folder: string, conditions: readonly string[]): Promise<string[]> => {
  const program = createProgram(folder, conditions);
  const files = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(folder + sep));
  const faults = files.flatMap((file) => [
    ...program.getSyntacticDiagnostics(file),
    ...program.getSemanticDiagnostics(file),
  ]);
  if (faults.length === 0) return [];
  const document = await loadDocument(join(folder, 'openapi.yaml'));
  return faults.map(({ file, start = 0, messageText }) => {
    const text = ts.flattenDiagnosticMessageText(messageText, '\n');
    if (!file) return text;
    const line = file.getLineAndCharacterOfPosition(start).line + 1;
    const [place = '', kind = '', name = ''] = membersAt(file, start);
    const pointer = pointerTo(place, kind, name);
    const cause = place === 'components' ? valueAt(document, pointer) : undefined;
    const schema = cause === undefined ? '' : `\n#${pointer}:\n${dumpExact(cause)}`;
    return `${relative(folder, file.fileName)}:${line} ${text}${schema}`;
  });
};
