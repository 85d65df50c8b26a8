/** Writes generated/client.ts: every operation, described for the client. */
import { join } from 'node:path';
import { parameterDefault, parameterSchemaAt, placeOf } from '@trellis/contract/internal';
import { parametersAt } from '@trellis/openapi/internal/document';
import { followRefs, getOrInsert, ownMember, pointerTo, valueAt } from '@trellis/openapi/internal/json';
import { codeOf, DO_NOT_EDIT, inComment, literalOf } from '../literal.ts';
import { createInt64s } from './client/int64s.ts';
import { describeOperation, type Reader } from './client/operation.ts';
import type { HandledOperation } from './handlers.ts';

/** The file with the descriptions. */
export const CLIENT = join('generated', 'client.ts');

/** Names that generated/client.ts uses itself. */
const TAKEN =
  /^(?:Contract|Client|ClientOptions|Int64s|int64|int64s\d+|Operation|make|operations|createClient|createClientOf|read(?:Events|Lines|Records))$/;

/** The constant of each operation by handler name: the same name, unless the file already uses it. */
const namesOf = (operations: readonly HandledOperation[]): ReadonlyMap<string, string> => {
  const handlers = new Set(operations.map(({ name }) => name));
  const rename = (name: string): string => {
    const other = `_${name}`;
    return handlers.has(other) ? rename(other) : other;
  };
  return new Map(operations.map(({ name }) => [name, TAKEN.test(name) ? rename(name) : name]));
};

/**
 * The parameters of an operation that have a default, by place. The types of handlers say that they are always there.
 */
const defaultedIn = (document: unknown, { path, method }: HandledOperation) => {
  const places = new Map<string, string[]>();
  const itemAt = followRefs(document, pointerTo('paths', path));
  for (const at of parametersAt(document, itemAt, itemAt + pointerTo(method.toLowerCase()))) {
    const declared = valueAt(document, at);
    const [place, name] = [placeOf(ownMember(declared, 'in')), String(ownMember(declared, 'name'))];
    if (place && parameterDefault(document, place, parameterSchemaAt(document, at)) !== undefined)
      getOrInsert(places, place, () => []).push(name);
  }
  return [...places].map(([place, names]) => `${place}: ${unionOf(names)}`);
};

const unionOf = (names: readonly string[]): string =>
  names.map((name) => JSON.stringify(name)).join(' | ') || 'never';

const renderDefaulted = (document: unknown, operations: readonly HandledOperation[]): string => {
  const lines = operations.flatMap((operation) => {
    const places = defaultedIn(document, operation);
    return places.length > 0 ? [`        ${JSON.stringify(operation.id)}: { ${places.join('; ')} };\n`] : [];
  });
  return lines.length === 0 ? '{}' : `{\n${lines.join('')}    }`;
};

/** The text of generated/client.ts. */
export const renderClient = (document: unknown, operations: readonly HandledOperation[]): string => {
  const int64s = createInt64s(document);
  const readers = new Set<Reader>();
  const described = {
    document,
    int64sAt: int64s.referTo,
    noteReader: (reader: Reader) => readers.add(reader),
  };
  const names = namesOf(operations);
  const constants = operations.map(({ id, name, method, path, summary }) => {
    const text = literalOf(describeOperation(described, id, method, path));
    const title = `${method} ${path}${typeof summary === 'string' ? `: ${summary}` : ''}`;
    return `/** ${inComment(title)} */\nexport const ${names.get(name)}: Operation<${JSON.stringify(id)}> = ${text};\n`;
  });
  const heads = operations.filter(({ method }) => method === 'HEAD').map(({ id }) => id);
  const all = operations.map(({ id, name }) => [id, codeOf(names.get(name) ?? name)] as const);
  const int64sText = int64s.render();
  const types = ['Client', 'ClientOptions', ...(int64sText === '' ? [] : ['Int64s']), 'Operation'];
  const imported = [...types.map((name) => `type ${name}`), 'createClient as make', ...[...readers].sort()];
  return [
    DO_NOT_EDIT,
    `import { ${imported.join(', ')} } from "@trellis/client";\n`,
    'import type { operations as described } from "./openapi.ts";\n\n',
    '/** The contract, as the types of the client need it. */\n',
    'export interface Contract {\n    readonly operations: described;\n',
    '    /** The parameters that need not be sent, since they have a default. */\n',
    `    readonly defaulted: ${renderDefaulted(document, operations)};\n`,
    '    /** The operations whose replies have no body. */\n',
    `    readonly heads: ${unionOf(heads)};\n}\n\n`,
    int64sText,
    '\n',
    constants.join('\n'),
    '\n/** Every operation, by its operationId. */\n',
    `export const operations = ${literalOf(Object.fromEntries(all))};\n\n`,
    '/** Makes a client of some operations. A bundler leaves out all others. */\n',
    'export const createClientOf = <Id extends keyof described>(\n    some: readonly Operation<Id>[],\n    options: ClientOptions,\n',
    '): Client<Contract, Id> => make<Contract, Id>(some, options);\n\n',
    '/** Makes a client of every operation in the contract. */\n',
    'export const createClient = (options: ClientOptions): Client<Contract> =>\n',
    '    createClientOf<keyof described>(Object.values(operations), options);\n',
  ].join('');
};
