import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';
import { ROOT } from '../../../tests/support/scratch.ts';
import type { ApiKeyAuthenticator, BasicAuthenticator } from '../../contract/src/security/security.ts';
import { renderClient } from '../../create/src/generate/client.ts';
import { handledOperations } from '../../create/src/generate/handlers.ts';
import { loadDocument } from '../../openapi/src/files/load.ts';
import { createStaticTokens } from '../../server/src/auth/static-tokens.ts';
import { serveDocument, type TestHandlers } from '../../server/tests/support/serve.ts';
import type { ClientOptions } from '../src/client.ts';

const CONTRACT_FILE = fileURLToPath(new URL('contract.yaml', import.meta.url));

const names: BasicAuthenticator = {
  type: 'basic',
  authenticate: (name, password) => (password === 'pässword:' ? { name, scopes: [] } : undefined),
};

const keys = (right: string): ApiKeyAuthenticator => ({
  type: 'apiKey',
  authenticate: (key) => (key === right ? { name: right, scopes: [] } : undefined),
});

/** Serves the contract of these tests with handlers of theirs, to pages of some origins too. */
export const serveThings = async (handlers: TestHandlers, origins: readonly string[] = []) => {
  const document = await loadDocument(CONTRACT_FILE);
  const others = handledOperations(document).map(({ id }) => [id, async () => ({ status: 501, body: {} })]);
  return serveDocument({
    document,
    handlers: { ...Object.fromEntries(others), ...handlers },
    corsOrigins: origins,
    authenticators: {
      tokens: createStaticTokens([{ name: 'tests', token: 's3cret' }]),
      names,
      appKey: keys('app key'),
      userKey: keys('user&key'),
    },
  });
};

/** The client that `trellis generate` writes for that contract, as JavaScript. */
export const renderThingsClient = async (file = CONTRACT_FILE): Promise<string> => {
  const document = await loadDocument(file);
  const client = renderClient(document, handledOperations(document));
  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  return ts.transpileModule(client, { compilerOptions: options }).outputText;
};

/** What makes a client of that contract. It stands in a folder that knows this package. */
export const importClient = async (
  folder: string,
  contract = CONTRACT_FILE,
): Promise<(options: ClientOptions) => ReturnType<typeof Object>> => {
  const file = join(folder, 'client.mjs');
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(file, await renderThingsClient(contract));
  const { createClient } = await import(pathToFileURL(file).href);
  return createClient;
};
