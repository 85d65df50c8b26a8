/** Reads openapi.yaml as Redocly does, with file and line for everything that is wrong with it. */
import { relative, resolve } from 'node:path';
import {
  BaseResolver,
  bundle,
  createConfig,
  type Document,
  getLineColLocation,
  isAbsoluteUrl,
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
import { findCircularRefs } from './circular-refs.ts';
import { SERVICE_RULES } from './contract-rules.ts';
import { findHandlerClashes } from './handlers.ts';

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
  'no-enum-type-mismatch': 'correct the type, or the values of the enum',
  'security-defined':
    'name a scheme of components.securitySchemes, or write `security: []` where everybody is to be let in',
  'service/patterns': 'write it for the flag `u`: in brackets a `-` beside a class is escaped',
  'service/enums': 'list its values, or leave it out',
  'service/statuses': 'write 100 to 599, a range such as 4XX, or default',
};
const REMEDIES = new Map(Object.entries(RULES));

const at = (place: LocationObject): string => {
  const { source, start } = getLineColLocation(place);
  return `${relative('.', source.absoluteRef)}:${start.line}:${start.col}`;
};

const documentsIn = async (files: BaseResolver): Promise<Document[]> => {
  const loaded = await Promise.all([...files.cache.values()].map((file) => file.catch(() => undefined)));
  return loaded.filter((file): file is Document => file !== undefined && 'parsed' in file);
};

/** Why a file cannot be read, or its references not followed. */
const unreadable = async (error: unknown, files: BaseResolver): Promise<string[]> => {
  if (error instanceof YamlParseError) {
    const reason = error.originalError.message.split('\n')[0];
    const file = relative('.', error.source.absoluteRef);
    return [`${file}:${error.line}:${error.col} is not valid YAML: ${reason}`];
  }
  if (error instanceof ResolveError)
    return [`${relative('.', CONTRACT)} cannot be read: ${error.originalError.message}`];
  const documents = await documentsIn(files);
  const problems = [
    ...documents
      .filter(({ parsed }) => !isTree(parsed))
      .map(({ source }) => `${at({ source, pointer: '#/' })} is empty; write what the contract refers to`),
    ...findCircularRefs(documents, files).map(
      (place) => `${at(place)} leads back to itself; refer to something that is there`,
    ),
  ];
  const reason = error instanceof Error ? error.message : error;
  return problems.length > 0 ? problems : [`${relative('.', CONTRACT)} cannot be checked: ${reason}`];
};

/** What the service wants of a document before anything else (src/contract/document.ts). */
const findMisfit = ({ source, parsed }: Document): string | undefined => {
  const version: unknown = ownMember(parsed, 'openapi');
  const place = at({ source, pointer: '#/openapi' });
  if (version === undefined) return `${place} is no OpenAPI document; begin it with \`openapi: 3.1.0\``;
  if (typeof version !== 'string' || !version.startsWith('3.1.'))
    return `${place} OpenAPI ${version} is not served, only 3.1.x is; write \`openapi: 3.1.0\` and mend what is then told`;
  return isTree(ownMember(parsed, 'paths'))
    ? undefined
    : `${at({ source, pointer: '#/paths' })} has no paths; add them`;
};

/** What the rules say, a line for each problem, in the order of the file. */
const findProblems = async (files: BaseResolver): Promise<string[]> => {
  const root = await files.resolveDocument(null, CONTRACT, true);
  if (root instanceof Error) throw root;
  const misfit = findMisfit(root);
  if (misfit !== undefined) return [misfit];
  const rules = Object.fromEntries(Object.keys(RULES).map((rule) => [rule, 'error'] as const));
  const problems = await lint({
    ref: CONTRACT,
    config: await createConfig({ plugins: [SERVICE_RULES], rules }),
    externalRefResolver: files,
  });
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
  /** The files that it is made of, those that it names in vain among them. */
  files: readonly string[];
  problems: readonly string[];
}> => {
  const resolver = new BaseResolver();
  const problems = await findProblems(resolver).catch((error: unknown) => unreadable(error, resolver));
  const files = [...resolver.getFiles()].filter((file) => !isAbsoluteUrl(file));
  if (problems.length > 0) return { document: undefined, files, problems };
  const { bundle: whole } = await bundle({
    ref: CONTRACT,
    config: await createConfig({}),
    externalRefResolver: resolver,
  });
  const report: Report = (pointer, message) =>
    problems.push(`${at({ source: whole.source, pointer: `#${pointer}`, reportOnKey: true })} ${message}`);
  const linked = withPointers(whole.parsed, (pointer, name) =>
    report(pointer, `Can't resolve #${name}; ${RULES['no-unresolved-refs']}`),
  );
  inlinePathItems(linked);
  const document = withWholeMappings(linked);
  nameOperations(document, report);
  for (const { path, method, message } of findHandlerClashes(document))
    report(pointerTo('paths', path, method.toLowerCase()), message);
  return { document, files, problems };
};
