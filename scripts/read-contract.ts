/** Reads openapi.yaml as Redocly does, with file and line for everything that is wrong with it. */
import { relative, resolve } from 'node:path';
import {
  bundle,
  createConfig,
  getLineColLocation,
  type LocationObject,
  lint,
  ResolveError,
  YamlParseError,
} from '@redocly/openapi-core';
import { withPointers } from '../src/contract/anchors.ts';
import { discriminatedAt } from '../src/contract/discriminator.ts';
import { operationIdOf } from '../src/contract/operation-id.ts';
import { operationsIn } from '../src/contract/path-item.ts';
import { followRefs, isTree, ownMember, pointerTo, refAt, valueAt } from '../src/contract/pointer.ts';
import { rewriteSchemas } from '../src/contract/schema-rewrite.ts';

/** The contract of the project that a script is run in. */
export const CONTRACT = resolve('openapi.yaml');

/** The rules a document must keep for its types and its routes to mean anything, and what to do where it does not. */
const RULES = {
  struct: 'see the OpenAPI 3.1 specification for what may stand here',
  'no-unresolved-refs': 'correct the reference, or add what it refers to',
  'no-identical-paths': 'make them one path',
  'operation-operationId-unique': 'give one of them another operationId',
  'operation-parameters-unique': 'keep one of them',
  'path-declaration-must-exist': 'name the parameter between the braces',
  'path-params-defined': 'declare the parameter, or correct its name',
  'path-not-include-query': 'declare query parameters under `parameters`',
  'security-defined': 'add the scheme to components.securitySchemes, or correct its name',
  'no-enum-type-mismatch': 'correct the type, or the values of the enum',
};
const REMEDIES = new Map(Object.entries(RULES));

const at = (place: LocationObject): string => {
  const { source, start } = getLineColLocation(place);
  return `${relative('.', source.absoluteRef)}:${start.line}:${start.col}`;
};

const unreadable = (error: unknown): string => {
  if (error instanceof YamlParseError) {
    const reason = error.originalError.message.split('\n')[0];
    return `${relative('.', error.source.absoluteRef)}:${error.line}:${error.col} is not valid YAML: ${reason}`;
  }
  if (error instanceof ResolveError)
    return `${relative('.', CONTRACT)} cannot be read: ${error.originalError.message}`;
  throw error;
};

/** What the rules say, a line for each problem, in the order of the file. */
const findProblems = async (): Promise<string[]> => {
  const rules = Object.fromEntries(Object.keys(RULES).map((rule) => [rule, 'error'] as const));
  const problems = await lint({ ref: CONTRACT, config: await createConfig({ rules }) }).catch(unreadable);
  if (typeof problems === 'string') return [problems];
  return problems
    .filter(({ severity, ignored }) => severity === 'error' && !ignored)
    .map(({ message, ruleId, location: [place] }) => {
      const remedy = REMEDIES.get(ruleId);
      const text = remedy === undefined ? message : `${message.trim().replace(/\.$/, '')}; ${remedy}`;
      return place ? `${at(place)} ${text}` : text;
    });
};

type Report = (pointer: string, message: string) => void;

/** Types are made of named operations only, and handlers for those of `paths` alone. */
const nameOperations = (document: unknown, report: Report): void => {
  for (const place of [pointerTo('webhooks'), pointerTo('components', 'pathItems')])
    for (const item of Object.values(valueAt(document, place) ?? {}))
      for (const { operation } of operationsIn(item)) delete operation.operationId;
  const titles = new Map<string, string>();
  for (const [path, item] of Object.entries(ownMember(document, 'paths') ?? {}))
    for (const { method, operation } of operationsIn(item)) {
      const { operationId } = operation;
      const id = operationIdOf({
        method,
        path,
        operationId: typeof operationId === 'string' ? operationId : undefined,
      });
      const title = `${method.toUpperCase()} ${path}`;
      const other = titles.get(id);
      if (other !== undefined)
        report(
          pointerTo('paths', path, method),
          `${title} is called ${id}, and so is ${other}; give one of them another operationId`,
        );
      titles.set(id, title);
      operation.operationId = id;
    }
};

/** A path item by reference is the path's own: its operations are named after the path. */
const inlinePathItems = (document: unknown): void => {
  const paths = ownMember(document, 'paths');
  if (!isTree(paths)) return;
  for (const [path, item] of Object.entries(paths)) {
    if (ownMember(item, '$ref') === undefined) continue;
    const shared = valueAt(document, followRefs(document, pointerTo('paths', path)));
    paths[path] = structuredClone({
      ...(isTree(shared) && shared),
      ...(isTree(item) && item),
      $ref: undefined,
    });
  }
};

/** Every value that names a branch is written down, as the service takes it; a discriminator without use is gone. */
const withWholeMappings = (document: unknown): unknown =>
  rewriteSchemas(document, (schema, pointer) => {
    if (!isTree(schema.discriminator)) return schema;
    const discriminated = discriminatedAt(document, pointer);
    if (!discriminated) return { ...schema, discriminator: undefined };
    const mapping = [...discriminated.branches].flatMap(([value, branch]) => {
      const target = refAt(document, branch);
      return target === undefined ? [] : [[value, `#${target}`] as const];
    });
    return { ...schema, discriminator: { ...schema.discriminator, mapping: Object.fromEntries(mapping) } };
  });

/** The contract in one piece, every operation with a name; or what is wrong with it, a line for each problem. */
export const readContract = async (): Promise<{
  document: unknown;
  /** The files that it is made of, as far as they are known. */
  files: readonly string[];
  problems: readonly string[];
}> => {
  const problems = await findProblems();
  if (problems.length > 0) return { document: undefined, files: [CONTRACT], problems };
  const { bundle: whole, fileDependencies } = await bundle({ ref: CONTRACT, config: await createConfig({}) });
  const report: Report = (pointer, message) =>
    problems.push(`${at({ source: whole.source, pointer: `#${pointer}`, reportOnKey: true })} ${message}`);
  const linked = withPointers(whole.parsed, (pointer, name) =>
    report(pointer, `Can't resolve #${name}; ${RULES['no-unresolved-refs']}`),
  );
  inlinePathItems(linked);
  const document = withWholeMappings(linked);
  nameOperations(document, report);
  return { document, files: [CONTRACT, ...fileDependencies], problems };
};
