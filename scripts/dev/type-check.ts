import { relative } from 'node:path';
import ts from 'typescript';

const describe = ({ file, start = 0, messageText }: ts.Diagnostic): string => {
  const [reason = ''] = ts.flattenDiagnosticMessageText(messageText, '\n').split('\n');
  if (!file) return reason;
  const { line, character } = file.getLineAndCharacterOfPosition(start);
  return `${relative('.', file.fileName)}:${line + 1}:${character + 1} ${reason}`;
};

/** Makes a type check of the project that, from its second run on, checks only what has changed. */
export const createTypeCheck = (configFile = 'tsconfig.json') => {
  let before: ts.SemanticDiagnosticsBuilderProgram | undefined;
  return (): string[] => {
    const { config } = ts.readConfigFile(configFile, ts.sys.readFile);
    const { fileNames, options, errors } = ts.parseJsonConfigFileContent(config, ts.sys, '.');
    const settings = { ...options, noEmit: true, incremental: true, tsBuildInfoFile: '.tsbuildinfo' };
    before = ts.createSemanticDiagnosticsBuilderProgram(
      fileNames,
      settings,
      ts.createIncrementalCompilerHost(settings),
      before,
    );
    const found = [...errors, ...before.getSyntacticDiagnostics(), ...before.getSemanticDiagnostics()];
    return [...new Set(found.map(describe))];
  };
};
