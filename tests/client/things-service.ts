import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';
import { renderClient } from '../../scripts/generate/client.ts';
import { handledOperations } from '../../scripts/generate/handlers.ts';
import { createStaticTokens } from '../../src/auth/static-tokens.ts';
import {
  type ClientOptions,
  createClientOf,
  type Operation,
  type OperationId,
} from '../../src/client/client.ts';
import { loadDocument } from '../../src/contract/document/load.ts';
import type { ApiKeyAuthenticator, BasicAuthenticator } from '../../src/contract/security.ts';
import { serveDocument, type TestHandlers } from '../support/serve.ts';

const CONTRACT_FILE = fileURLToPath(new URL('contract.yaml', import.meta.url));

const names: BasicAuthenticator = {
  type: 'basic',
  authenticate: (name, password) => (password === 'pässword:' ? { name, scopes: [] } : undefined),
};

const keys = (right: string): ApiKeyAuthenticator => ({
  type: 'apiKey',
  authenticate: (key) => (key === right ? { name: right, scopes: [] } : undefined),
});

/** Serves the contract of these tests with handlers of theirs. */
export const serveThings = async (handlers: TestHandlers) =>
  serveDocument({
    document: await loadDocument(CONTRACT_FILE),
    handlers,
    authenticators: {
      tokens: createStaticTokens([{ name: 'tests', token: 's3cret' }]),
      names,
      appKey: keys('app key'),
      userKey: keys('user&key'),
    },
  });

/** The operations of that contract as `npm run generate` describes them, and what makes a client of them. */
export const importClient = async (folder: string) => {
  const document = await loadDocument(CONTRACT_FILE);
  const client = renderClient(document, handledOperations(document));
  const file = join(folder, 'client.mjs');
  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  await writeFile(file, ts.transpileModule(client, { compilerOptions: options }).outputText);
  const { operations } = await import(pathToFileURL(file).href);
  /** Untyped: the types of this repository are those of its own contract. */
  return (options: ClientOptions) =>
    Object(createClientOf(Object.values<Operation<OperationId>>(operations), options));
};
