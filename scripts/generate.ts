/**
 * openapi.yaml -> generated/openapi.ts. Everything that knows openapi-typescript is in this file.
 *
 *   npm run generate               write what the contract says
 *   npm run generate -- --check    exit 1, naming the file, when generated/ is stale
 *   npm run generate -- --watch    write again on every change of the contract
 */
import { watch } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  bundle,
  createConfig,
  getLineColLocation,
  lint,
  ResolveError,
  YamlParseError,
} from '@redocly/openapi-core';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { operationIdOf } from '../src/contract/operation-id.ts';
import { isTree, ownMember } from '../src/contract/pointer.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const CONTRACT = resolve('openapi.yaml');
const TYPES = resolve('generated/openapi.ts');
const HEADER = `// Generated from openapi.yaml by \`npm run generate\`. Do not edit: change the contract instead.\n\n`;

/** The rules a document must keep for its types and its routes to mean anything. */
const RULES = {
  struct: 'error',
  'no-unresolved-refs': 'error',
  'no-identical-paths': 'error',
  'no-ambiguous-paths': 'error',
  'operation-operationId-unique': 'error',
  'operation-parameters-unique': 'error',
  'path-declaration-must-exist': 'error',
  'path-params-defined': 'error',
  'path-not-include-query': 'error',
  'security-defined': 'error',
  'no-enum-type-mismatch': 'error',
} as const;

const unreadable = (error: unknown): string => {
  if (error instanceof YamlParseError) {
    const reason = error.originalError.message.split('\n')[0];
    return `${relative('.', error.source.absoluteRef)}:${error.line}:${error.col} is not valid YAML: ${reason}`;
  }
  if (error instanceof ResolveError)
    return `${relative('.', CONTRACT)} cannot be read: ${error.originalError.message}`;
  throw error;
};

/** Says where and why the contract is not valid, a line for each problem, in the order of the file. */
const findProblems = async (): Promise<string[]> => {
  const config = await createConfig({ rules: RULES });
  const problems = await lint({ ref: CONTRACT, config }).catch(unreadable);
  if (typeof problems === 'string') return [problems];
  return problems
    .filter(({ severity, ignored }) => severity === 'error' && !ignored)
    .flatMap(({ message, location: [place] }) => {
      if (!place) return [message];
      const { source, start } = getLineColLocation(place);
      return [`${relative('.', source.absoluteRef)}:${start.line}:${start.col} ${message}`];
    });
};

const BIGINT = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
const NULL = ts.factory.createLiteralTypeNode(ts.factory.createNull());

/** A double cannot hold an int64 exactly; a bigint can. Enums keep the literals that openapi-typescript gives them. */
const int64AsBigint = (schema: { type?: unknown; format?: unknown; enum?: unknown; const?: unknown }) => {
  if (schema.format !== 'int64' || schema.enum !== undefined || schema.const !== undefined) return undefined;
  const types: unknown[] = [schema.type].flat();
  if (!types.includes('integer')) return undefined;
  return types.includes('null') ? ts.factory.createUnionTypeNode([BIGINT, NULL]) : BIGINT;
};

/** The contract in one piece, every operation with a name: types are made of named operations only. */
const readWhole = async (): Promise<string> => {
  const { bundle: whole } = await bundle({ ref: CONTRACT, config: await createConfig({}) });
  for (const [path, item] of Object.entries(whole.parsed.paths ?? {}))
    for (const method of METHODS) {
      const operation = ownMember(item, method);
      if (isTree(operation)) operation.operationId ??= operationIdOf({ method, path });
    }
  return JSON.stringify(whole.parsed);
};

const render = async (): Promise<string> => {
  const ast = await openapiTS(await readWhole(), {
    silent: true,
    transform: (schema) => int64AsBigint(schema),
  });
  return HEADER + astToString(ast);
};

/** A reader never sees half a file, and a failure leaves the old one in place. */
const replaceFile = async (file: string, text: string): Promise<void> => {
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.tmp`;
  await writeFile(draft, text);
  await rename(draft, file);
};

const generate = async ({ check }: { check: boolean }): Promise<boolean> => {
  const problems = await findProblems();
  if (problems.length > 0) {
    console.error(problems.join('\n'));
    return false;
  }
  const name = relative('.', TYPES);
  const [wanted, present] = await Promise.all([render(), readFile(TYPES, 'utf8').catch(() => '')]);
  if (wanted === present) {
    console.log(`${name} is up to date`);
    return true;
  }
  if (check) {
    console.error(`${name} is stale: run \`npm run generate\` and commit the result`);
    return false;
  }
  await replaceFile(TYPES, wanted);
  console.log(`${name} written`);
  return true;
};

const { values: flags } = parseArgs({
  options: { check: { type: 'boolean', default: false }, watch: { type: 'boolean', default: false } },
});
if (flags.watch) {
  // Before the first run, so that no edit goes unseen. Editors replace files rather than write to them, so the
  // folder is watched, and a burst of events counts once.
  let timer: NodeJS.Timeout | undefined;
  watch(dirname(CONTRACT), (_event, file) => {
    if (file !== basename(CONTRACT)) return;
    clearTimeout(timer);
    timer = setTimeout(() => void generate({ check: false }).catch(console.error), 50);
  });
}
const succeeded = await generate(flags);
if (!flags.watch) process.exitCode = succeeded ? 0 : 1;
