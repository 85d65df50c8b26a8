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
import { isServed } from '../../../src/contract/document/adapt/adapt.ts';
import { isTree, ownMember } from '../../../src/contract/json/pointer.ts';
import { CONTRACT } from '../place.ts';
import { findCircularRefs } from './circular-refs.ts';
import type { Complaint } from './complaints.ts';

/** The rules that a document is checked by, each with its remedy. */
export const RULES = {
  struct: 'see the OpenAPI specification for what may stand here',
  'path-declaration-must-exist': 'name the parameter between the braces',
  'no-enum-type-mismatch': 'correct the type, or the values of the enum',
};
const REMEDIES = new Map(Object.entries(RULES));

/** What OpenAPI 3.2 has and these rules, which know 3.1, do not. */
const NEWER =
  /^Property `(?:\$self|query|additionalOperations|itemSchema|itemEncoding|prefixEncoding|defaultMapping|summary|parent|kind|name|mediaTypes|dataValue|serializedValue|nodeType|deviceAuthorization|deviceAuthorizationUrl|oauth2MetadataUrl|deprecated|\$ref)` is not expected here/;

/** What the service gives its meaning, and warns of itself. */
const isLeftover = (message: string): boolean => message.startsWith('Property `nullable` is not expected');

/** What is found in a contract. */
export interface Findings {
  readonly problems: readonly Complaint[];
  /** What can be served all the same. */
  readonly warnings: readonly Complaint[];
}

const documentsIn = async (files: BaseResolver): Promise<Document[]> => {
  const loaded = await Promise.all([...files.cache.values()].map((file) => file.catch(() => undefined)));
  return loaded.filter((file): file is Document => file !== undefined && 'parsed' in file);
};

const sayAtAll = (message: string): Complaint => ({ place: undefined, subject: '', message });

/** Why a file cannot be read, or its references cannot be followed. */
const explainFailure = async (error: unknown, files: BaseResolver): Promise<Findings> => {
  if (error instanceof YamlParseError) {
    const reason = error.originalError.message.split('\n')[0];
    const file = relative('.', error.source.absoluteRef);
    return {
      problems: [sayAtAll(`${file}:${error.line}:${error.col} is not valid YAML: ${reason}`)],
      warnings: [],
    };
  }
  if (error instanceof ResolveError) {
    const message = `${relative('.', CONTRACT)} cannot be read: ${error.originalError.message}`;
    return { problems: [sayAtAll(message)], warnings: [] };
  }
  const documents = await documentsIn(files);
  const problems = [
    ...documents
      .filter(({ parsed }) => !isTree(parsed))
      .map(({ source }) => ({
        place: { source, pointer: '#/' },
        subject: '',
        message: 'is empty; write what the contract refers to',
      })),
    ...findCircularRefs(documents, files).map((place) => ({
      place,
      subject: '',
      message: 'leads back to itself; refer to something that is there',
    })),
  ];
  const reason = error instanceof Error ? error.message : error;
  const warning = sayAtAll(`${relative('.', CONTRACT)} could not be checked in full: ${reason}`);
  return { problems, warnings: problems.length > 0 ? [] : [warning] };
};

/** Why a document is of no version that is served; `undefined` if it is. */
const findMisfit = ({ source, parsed }: Document): Complaint | undefined => {
  if (isServed(parsed)) return undefined;
  const version: unknown = ownMember(parsed, 'openapi') ?? ownMember(parsed, 'swagger');
  const message =
    version === undefined
      ? 'is not an OpenAPI document; begin it with `openapi: 3.1.0`'
      : `OpenAPI ${version} is not served, but 3.0, 3.1 and 3.2 are; convert the document to one of these`;
  const member = ownMember(parsed, 'swagger') === undefined ? 'openapi' : 'swagger';
  return { place: { source, pointer: `#/${member}` }, subject: '', message };
};

/** What the rules find, in the order of the file. */
const applyRules = async (files: BaseResolver): Promise<Findings> => {
  const root = await files.resolveDocument(null, CONTRACT, true);
  if (root instanceof Error) throw root;
  const misfit = findMisfit(root);
  if (misfit) return { problems: [misfit], warnings: [] };
  const version = `${root.parsed.openapi}`;
  const isNewer = version.startsWith('3.2');
  root.parsed.openapi = version.startsWith('3.0') ? '3.0.3' : '3.1.0'; // all that these rules know
  const rules = Object.fromEntries(Object.keys(RULES).map((rule) => [rule, 'error'] as const));
  const found = await lint({
    ref: CONTRACT,
    config: await createConfig({ rules }),
    externalRefResolver: files,
  });
  const warnings: Complaint[] = [];
  for (const { severity, ignored, message, ruleId, location } of found) {
    if (severity !== 'error' || ignored || isLeftover(message) || (isNewer && NEWER.test(message))) continue;
    const remedy = REMEDIES.get(ruleId);
    const text = remedy === undefined ? message : `${message.trim().replace(/\.$/, '')}; ${remedy}`;
    warnings.push({ place: location[0], subject: '', message: text });
  }
  return { problems: [], warnings };
};

/** What is wrong with the contract; `files` reads every file that it consists of. */
export const findProblems = (files: BaseResolver): Promise<Findings> =>
  applyRules(files).catch((error: unknown) => explainFailure(error, files));
