/** Finds what is wrong with openapi.yaml, with file and line, by the rules of Redocly and of the service. */
import { relative } from 'node:path';
import {
  type BaseResolver,
  createConfig,
  type Document,
  lint,
  ResolveError,
  YamlParseError,
} from '@redocly/openapi-core';
import { isTree, ownMember } from '../../../src/contract/json/pointer.ts';
import { at, CONTRACT } from '../place.ts';
import { findCircularRefs } from './circular-refs.ts';
import { type Collected, createServiceRules } from './rules.ts';

/** The rules that a document must keep to have types and routes, each with its remedy. */
export const RULES = {
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
    'name a scheme of components.securitySchemes, or write `security: []` where no credentials are needed',
  'service/patterns': 'write it for the flag `u`: in brackets a `-` beside a class is escaped',
  'service/enums': 'list its values, or leave it out',
  'service/unions': 'list its schemas, or leave it out',
  'service/steps': 'write a number above 0, or leave it out',
  'service/statuses': 'write 100 to 599, a range such as 4XX, or default',
  'service/pathItems': 'write it where the reference leads, or all of the path item here',
};
const REMEDIES = new Map(Object.entries(RULES));

const documentsIn = async (files: BaseResolver): Promise<Document[]> => {
  const loaded = await Promise.all([...files.cache.values()].map((file) => file.catch(() => undefined)));
  return loaded.filter((file): file is Document => file !== undefined && 'parsed' in file);
};

/** Why a file cannot be read, or its references cannot be followed. */
const explainFailure = async (error: unknown, files: BaseResolver): Promise<string[]> => {
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

/** What the service requires of a document before anything else (src/contract/document/load.ts). */
const findMisfit = ({ source, parsed }: Document): string | undefined => {
  const version: unknown = ownMember(parsed, 'openapi');
  const place = at({ source, pointer: '#/openapi' });
  if (version === undefined) return `${place} is not an OpenAPI document; begin it with \`openapi: 3.1.0\``;
  if (typeof version !== 'string' || !version.startsWith('3.1.'))
    return `${place} OpenAPI ${version} is not served, only 3.1.x is; write \`openapi: 3.1.0\` and fix what is then reported`;
  return isTree(ownMember(parsed, 'paths'))
    ? undefined
    : `${at({ source, pointer: '#/paths' })} has no paths; add them`;
};

/** The problems that the rules find, in the order of the file. */
const applyRules = async (files: BaseResolver, collected: Collected): Promise<string[]> => {
  const root = await files.resolveDocument(null, CONTRACT, true);
  if (root instanceof Error) throw root;
  const misfit = findMisfit(root);
  if (misfit !== undefined) return [misfit];
  const rules = Object.fromEntries(Object.keys(RULES).map((rule) => [rule, 'error'] as const));
  const problems = await lint({
    ref: CONTRACT,
    config: await createConfig({
      plugins: [createServiceRules(collected)],
      rules: { ...rules, 'service/defaults': 'error' },
    }),
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

/** A line for each problem of the contract; `files` reads every file that it consists of. */
export const findProblems = (files: BaseResolver, collected: Collected): Promise<string[]> =>
  applyRules(files, collected).catch((error: unknown) => explainFailure(error, files));
