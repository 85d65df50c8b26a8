import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ClientOptions } from '@trellis/client';
import type { createContract } from '@trellis/contract';
import { allOperations, loadDocument } from '@trellis/openapi';
import {
  type ApiKeyAuthenticator,
  type Authenticators,
  createService,
  createStaticTokens,
} from '@trellis/server';
import type { Express } from 'express';
import { CONTRACT, generateIn } from './generate.ts';

/** Handlers of operations, by operationId. */
export type TestHandlers = Parameters<typeof createContract>[1];

const keys = (right: string): ApiKeyAuthenticator => ({
  type: 'apiKey',
  authenticate: (key) => (key === right ? { name: right, scopes: [] } : undefined),
});

const authenticators: Authenticators = {
  tokens: createStaticTokens([{ name: 'tests', token: 's3cret' }]),
  names: {
    type: 'basic',
    authenticate: (name, password) => (password === 'pässword:' ? { name, scopes: [] } : undefined),
  },
  appKey: keys('app key'),
  userKey: keys('user&key'),
};

/** Serves an Express app at a port that the system chooses. */
export const listen = async (app: Express) => {
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address?.port}`,
    close: () => server.close().closeAllConnections(),
  };
};

/** Serves the contract of these tests with handlers of theirs, to pages of some origins too. */
export const serveThings = async (handlers: TestHandlers, corsOrigins: readonly string[] = []) => {
  const contract = fileURLToPath(CONTRACT);
  const others = allOperations(await loadDocument(contract)).map(({ operation }) => [
    operation.operationId,
    async () => ({ status: 501, body: {} }),
  ]);
  const { app, stop } = await createService(
    {
      name: 'things',
      version: '1.0.0',
      contract,
      openStore: async () => undefined,
      handlers: () => ({ ...Object.fromEntries(others), ...handlers }),
      authenticators: () => authenticators,
    },
    { corsOrigins, production: true },
  );
  const { url, close } = await listen(app);
  return {
    url,
    close: async () => {
      close();
      await stop();
    },
  };
};

/** Generates the client of a contract in a folder, and loads it. */
export const importClient = async (
  folder: string,
  contract: string | URL = CONTRACT,
): Promise<(options: ClientOptions) => ReturnType<typeof Object>> => {
  await generateIn(folder, contract);
  const { createClient } = await import(pathToFileURL(join(folder, 'generated/client.ts')).href);
  return createClient;
};
