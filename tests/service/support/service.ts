import { fileURLToPath } from 'node:url';
import { createStaticTokens } from '../../../src/auth/static-tokens.ts';
import { loadDocument } from '../../../src/contract/document/load.ts';
import { createHandlers } from '../../../src/handlers.ts';
import type { PlantRepository } from '../../../src/plants/repository.ts';
import { createReadyCheck, storeProblem } from '../../../src/program/store-problem.ts';
import { createMemoryRepository } from '../../../src/storage/memory.ts';
import { serveDocument } from '../../support/serve.ts';
import { AUTHORIZED, TOKEN } from '../../support/service.ts';

/** The contract of this repository. */
export const CONTRACT_FILE = fileURLToPath(new URL('../../../openapi.yaml', import.meta.url));

/** Serves the plant store over real HTTP, as service.ts wires it. Close it when done. */
export const startService = async ({
  plants = createMemoryRepository(),
}: {
  plants?: PlantRepository;
} = {}) => {
  const service = await serveDocument({
    document: await loadDocument(CONTRACT_FILE),
    handlers: createHandlers(plants),
    authenticators: { bearerAuth: createStaticTokens([{ name: 'tests', token: TOKEN }]) },
    check: createReadyCheck(plants.check),
    explain: storeProblem,
  });
  return { ...service, plants, close: () => service.close().then(() => plants.close()) };
};

export type Service = Awaited<ReturnType<typeof startService>>;

/** Sends a body to POST /plants as it is, with a valid token unless the headers say otherwise. */
export const post = (
  { url }: { url: string },
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(`${url}/plants`, { method: 'POST', body, headers: { ...AUTHORIZED, ...headers } });
