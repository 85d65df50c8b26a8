import { fileURLToPath } from 'node:url';
import { createStaticTokens } from '../../src/auth/static-tokens.ts';
import { createContract } from '../../src/contract/contract.ts';
import { loadDocument } from '../../src/contract/document/load.ts';
import type { BearerAuthenticator } from '../../src/contract/security.ts';
import { createHandlers } from '../../src/handlers.ts';
import { createApp } from '../../src/http/app.ts';
import type { Log } from '../../src/http/observe/request-log.ts';
import { createHttpServer, type Timeouts } from '../../src/http/server.ts';
import type { PlantRepository } from '../../src/plants/repository.ts';
import { createMemoryRepository } from '../../src/storage/memory.ts';
import { storeProblem } from '../../src/store-problem.ts';
import { createTestWatch } from './watch.ts';

/** The contract of this repository. */
export const CONTRACT_FILE = fileURLToPath(new URL('../../openapi.yaml', import.meta.url));

/** A token that the test service knows. */
export const TOKEN = 'a-token-for-tests';

export interface ServiceOptions {
  readonly plants?: PlantRepository;
  readonly bearerAuth?: BearerAuthenticator;
  readonly maxBodyBytes?: number;
  readonly maxBufferedBytes?: number;
  readonly timeouts?: Partial<Timeouts>;
  /** Gets every line of the log, beside those of errors that are kept anyway. */
  readonly log?: Partial<Log>;
}

/** The app as service.ts wires it, with what it logs as errors kept in a list. */
export const createTestApp = async ({
  plants = createMemoryRepository(),
  bearerAuth = createStaticTokens([{ name: 'tests', token: TOKEN }]),
  maxBodyBytes = 102_400,
  maxBufferedBytes,
  log,
}: ServiceOptions = {}) => {
  const logged: object[] = [];
  const contract = await createContract({
    document: await loadDocument(CONTRACT_FILE),
    handlers: createHandlers(plants),
    authenticators: { bearerAuth },
    maxBodyBytes,
    ...(maxBufferedBytes !== undefined && { maxBufferedBytes }),
    explain: storeProblem,
  });
  const { watch, metrics } = createTestWatch({ error: (details) => logged.push(details), ...log });
  const document = await loadDocument(CONTRACT_FILE);
  const app = createApp({ contract, watch, metrics, check: plants.check, document });
  return { app, watch, metrics, plants, logged };
};

/** The service, listening on a port that the system chose, over real HTTP. Close it when done. */
export const startService = async (options: ServiceOptions = {}) => {
  const { app, watch, plants, logged } = await createTestApp(options);
  const { server, listen, stop } = createHttpServer(app, watch, options.timeouts);
  const url = await listen(0, '127.0.0.1');
  return {
    url,
    port: Number(new URL(url).port),
    server,
    stop,
    plants,
    logged,
    close: () => stop(1000).then(() => plants.close()),
  };
};

export type Service = Awaited<ReturnType<typeof startService>>;

export const AUTHORIZED = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };

/** Sends a body to POST /plants as it is, with a valid token unless the headers say otherwise. */
export const post = (
  { url }: { url: string },
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(`${url}/plants`, { method: 'POST', body, headers: { ...AUTHORIZED, ...headers } });

/** The status and the parsed body of a reply, for one assertion on both. */
export const read = async (reply: Promise<Response> | Response) => {
  const response = await reply;
  const body: unknown = await response.json();
  return { status: response.status, body };
};
