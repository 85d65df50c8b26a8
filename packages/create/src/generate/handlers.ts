/** Writes src/handlers.ts, and a stub in src/handlers for each operation that has no file there. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { operationsIn, outgoingOperations } from '@trellis/openapi/internal/document';
import { ownMember, pointerTo } from '@trellis/openapi/internal/json';
import ts from 'typescript';
import { DO_NOT_EDIT, inComment, memberName, quote } from '../literal.ts';

/** An operation of the contract and the place of its handler. */
export interface HandledOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: unknown;
  /** The name under which its handler is exported. */
  readonly name: string;
  /** The file of its handler. */
  readonly file: string;
}

/** The contract, and the types of its handlers. */
export const BINDINGS = join('generated', 'handler.ts');

/** Where an owner may say who sends requests. */
const PRINCIPAL = join('src', 'principal.ts');

/** The part of generated/handler.ts for contracts with webhooks or callbacks. */
const SENDING = {
  import: 'import type * as sending from "@trellis/outbox";\n',
  type: `
/** Sends the webhooks and callbacks of the contract. An undeclared name or a body of another shape does not compile. */
export type Webhooks<Transaction> = sending.Webhooks<webhooks, Transaction>;
`,
};

/** The text of generated/handler.ts. */
export const renderBindings = (document: unknown): string => {
  const sends = outgoingOperations(document).length > 0;
  const isOwn = existsSync(PRINCIPAL);
  const importOwn = 'import type { Principal } from "../src/principal.ts";\n';
  return `${DO_NOT_EDIT}import type * as server from "@trellis/server";
${sends ? SENDING.import : ''}${isOwn ? importOwn : ''}import type { operations, security${sends ? ', webhooks' : ''} } from "./openapi.ts";

/** The contract, as the types of the server need it. */
export interface Contract {
    readonly operations: operations;
    readonly security: security;
    readonly principal: ${isOwn ? '' : 'server.'}Principal;
}

/** The file of the contract. With it, \`serve\` and \`createService\` take the handlers of this contract only. */
export const contract: server.ContractFile<Contract> = new URL("../openapi.yaml", import.meta.url);

/** The operations of the contract, by operationId. */
export type OperationId = keyof operations;

/** The decoded body of an operation's request. */
export type RequestBody<Id extends OperationId> = server.RequestBody<Contract, Id>;

/** The request that a handler receives: matched, validated, decoded, with its caller. */
export type OperationRequest<Id extends OperationId> = server.OperationRequest<Contract, Id>;

/** A reply that the operation declares: a status with its headers and its body. */
export type OperationReply<Id extends OperationId> = server.OperationReply<Contract, Id>;

/** Implements one operation. An undeclared status or a body of another shape does not compile. */
export type Handler<Id extends OperationId> = server.Handler<Contract, Id>;

/** Implements an operation with a separate limit for its bodies. */
export type LimitedHandler<Id extends OperationId> = server.LimitedHandler<Contract, Id>;

/** Implements an operation whose body is read while it arrives, however large it is. */
export type UploadHandler<Id extends OperationId> = server.UploadHandler<Contract, Id>;

/** A handler for every operation of the contract. A missing one does not compile. */
export type Handlers = server.Handlers<Contract>;
${sends ? SENDING.type : ''}`;
};

/** The map from operations to handlers. */
export const HANDLERS = join('src', 'handlers.ts');

/** The folder with the handlers. */
export const HANDLERS_FOLDER = join('src', 'handlers');

const wordsOf = (id: string): string[] =>
  id
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);

const isIdentifier = (text: string): boolean => {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, true, ts.LanguageVariant.Standard, text);
  const isWhole = scanner.scan() === ts.SyntaxKind.Identifier && scanner.getTokenEnd() === text.length;
  return isWhole && !text.includes('\\'); // `\u0061` is the identifier `a`
};

/** Names that JavaScript reserves, and those that src/handlers.ts or a stub uses itself. */
const TAKEN_NAMES = new Set([
  ...['arguments', 'eval', 'undefined', 'globalThis', 'NaN', 'Infinity'],
  ...['Handlers', 'NeedsOf', 'Needs', 'createHandlers', 'needs', 'Handler', 'OperationReply', 'stub'],
]);

const isFree = (name: string): boolean => isIdentifier(name) && !TAKEN_NAMES.has(name);

/** The name of a handler: its operationId, made a valid, unused identifier. */
const nameOf = (id: string): string => {
  if (isFree(id)) return id;
  const [first = '', ...rest] = wordsOf(id);
  const camel = first.toLowerCase() + rest.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('');
  const name = isIdentifier(id) ? id : camel;
  return isFree(name) ? name : `_${name}`;
};

/** Files in src/handlers that are not handlers. */
const TAKEN_FILES = new Set([join(HANDLERS_FOLDER, 'problems.ts')]);

/** File systems take names of up to 255 bytes. */
const LONGEST = 80;

const fileOf = (id: string, nth = ''): string => {
  const words = wordsOf(id).join('-').toLowerCase().slice(0, LONGEST).replace(/-$/, '');
  return join(HANDLERS_FOLDER, `${[words || 'operation', nth].filter(Boolean).join('-')}.ts`);
};

/** Appends 2, 3, … until the name is free. */
const takeFirst = (taken: Set<string>, write: (nth: string) => string): string => {
  let text = write('');
  for (let nth = 2; taken.has(text); nth += 1) text = write(`${nth}`);
  taken.add(text);
  return text;
};

/** The operations of a document; all of them must have an operationId. No two handlers have one file or one name. */
export const handledOperations = (document: unknown): HandledOperation[] => {
  const files = new Set(TAKEN_FILES);
  const names = new Set<string>();
  return Object.entries(ownMember(document, 'paths') ?? {}).flatMap(([path, item]) =>
    operationsIn(item).flatMap(({ method, operation: { operationId: id, summary } }) => {
      if (typeof id !== 'string') return [];
      const name = takeFirst(names, (nth) => nameOf(id) + nth);
      const file = takeFirst(files, (nth) => fileOf(id, nth));
      return [{ id, method: method.toUpperCase(), path, summary, name, file }];
    }),
  );
};

/** The operations whose handlers have another name than their operationId, with reason and remedy. */
export const findHandlerClashes = (document: unknown) =>
  handledOperations(document)
    .filter(({ id, file, name }) => file !== fileOf(id) || name !== nameOf(id))
    .map(({ id, name, file, path, method }) => ({
      pointer: pointerTo('paths', path, method.toLowerCase()),
      message: `the handler of ${id} is ${name} in ${file}, because another file or handler has its name; give it another operationId`,
    }));

/** The text of src/handlers.ts. A handler that does not fit its operation does not compile. */
export const renderHandlers = (operations: readonly HandledOperation[]): string => {
  const imports = operations.map(
    ({ name, file }) => `import { ${name} } from './handlers/${file.split(/[\\/]/).at(-1)}';`,
  );
  const needs = operations.map(({ name }) => `NeedsOf<typeof ${name}>`);
  const members = operations.map(({ id, name }) => `  ${memberName(id)}: ${name}(needs),`);
  return `// Generated from openapi.yaml by \`npm run generate\`. Do not edit: handlers are written in src/handlers.

import type { Handlers } from '../generated/handler.ts';
${imports.sort().join('\n')}

${operations.length === 0 ? '' : 'type NeedsOf<Make> = Make extends (needs: infer Needs) => unknown ? Needs : never;\n\n'}/** Everything that any of the handlers needs. */
export type Needs = ${needs.join(' & ') || 'unknown'};

/** Makes a handler for every operation of the contract. */
export const createHandlers = (${operations.length === 0 ? '_needs' : 'needs'}: Needs): Handlers => ({
${members.join('\n')}
});
`;
};

const renderStub = ({ id, method, path, name }: HandledOperation): string => {
  const type = `<${quote(id)}>`;
  return `import { stub } from '@trellis/server';
import type { Handler, OperationReply } from '../../generated/handler.ts';

/**
 * ${method} ${inComment(path)}: not written yet. Until then it answers with the example of the contract, and in production
 * with 501. To write it, replace \`stub()\` with the reply, such as \`({ status, body })\`, and \`unknown\` with the type
 * of the store.
 */
export const ${name} =
  (_needs: unknown): Handler${type} =>
  async (_request): Promise<OperationReply${type}> =>
    stub();
`;
};

/** Stubs for the operations that have no file yet. */
export const missingStubs = (
  operations: readonly HandledOperation[],
): (HandledOperation & { readonly text: string })[] =>
  operations
    .filter(({ file }) => !existsSync(file))
    .map((operation) => ({ ...operation, text: renderStub(operation) }));

/** The types by which a handler names its operation. */
const NAMED = /\b(?:Handler|LimitedHandler|UploadHandler|OperationReply)<\s*(['"])(.+?)\1/g;

/** A line for each file in src/handlers whose operation was removed or renamed. */
export const findLeftovers = async (operations: readonly HandledOperation[]): Promise<string[]> => {
  const ids = new Set(operations.map(({ id }) => id));
  const used = new Set(operations.map(({ file }) => file));
  const names = await readdir(HANDLERS_FOLDER).catch(() => []);
  const others = names
    .map((name) => join(HANDLERS_FOLDER, name))
    .filter((file) => /\.ts$/.test(file) && !used.has(file));
  const lines = await Promise.all(
    others.map(async (file) => {
      const named = [...(await readFile(file, 'utf8')).matchAll(NAMED)].map(([, , id = '']) => id);
      if (named.length === 0 || named.some((id) => ids.has(id))) return [];
      return [`${file}: openapi.yaml has no operation ${named[0]}; delete ${file}`];
    }),
  );
  return lines.flat();
};
