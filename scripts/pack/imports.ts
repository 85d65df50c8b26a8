import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** What a file imports, as it is written there. */
export const importsOf = (file: string): string[] =>
  ts.preProcessFile(readFileSync(file, 'utf8'), true, true).importedFiles.map(({ fileName }) => fileName);
