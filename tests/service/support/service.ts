import { fileURLToPath } from 'node:url';
import type { ClientReply } from '@trellis/client';
import { type Contract, createClient } from '../../../generated/client.ts';
import { loadDocument } from '../../../packages/openapi/src/files/load.ts';
import { createStaticTokens } from '../../../packages/server/src/auth/static-tokens.ts';
import { createReadyCheck, storeProblem } from '../../../packages/server/src/program/store.ts';
import { type ServeOptions, serveDocument } from '../../../packages/server/tests/support/serve.ts';
import { postTo, TOKEN } from '../../../packages/server/tests/support/service.ts';
import { createHandlers } from '../../../src/handlers.ts';
import type { PlantRepository } from '../../../src/plants/repository.ts';
import { openStore } from '../../../src/store.ts';

/** The contract of this repository. */
export const CONTRACT_FILE = fileURLToPath(new URL('../../../openapi.yaml', import.meta.url));

/** Opens a store that ends with the process. */
export const openInMemory = () => openStore({ databaseUrl: 'memory:' });

/** Serves the plant store over real HTTP, as `serve` does. Close it when done. */
export const startService = async ({
  plants: given,
  ...options
}: Pick<ServeOptions, 'trustProxy' | 'routes'> & {
  plants?: PlantRepository;
} = {}) => {
  const plants = given ?? (await openInMemory());
  const service = await serveDocument({
    document: await loadDocument(CONTRACT_FILE),
    handlers: createHandlers(plants),
    authenticators: { bearerAuth: createStaticTokens([{ name: 'tests', token: TOKEN }]) },
    check: createReadyCheck(plants.check),
    explain: storeProblem,
    ...options,
  });
  return { ...service, plants, close: () => service.close().then(() => plants.close()) };
};

export type Service = Awaited<ReturnType<typeof startService>>;

export const post = postTo('/plants');

/** A client of a service, with a token that it knows unless another is given. */
export const clientOf = ({ url }: { url: string }, token = TOKEN) => createClient({ url, token });

/** A reply without its headers. */
export const answerOf = ({ status, body }: ClientReply<Contract, 'createPlant'>) => ({ status, body });
