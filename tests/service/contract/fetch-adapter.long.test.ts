import { once } from 'node:events';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ContractReply, type ContractRequest, createContract } from '@trellis/contract';
import { contractTests } from '@trellis/contract-tests';
import { loadDocument } from '@trellis/openapi';
import { errorBody } from '../../../src/error-body.ts';
import { createHandlers } from '../../../src/handlers.ts';
import { openStore } from '../../../src/store.ts';
import { CONTRACT_FILE } from '../support/service.ts';

type Fetch = (request: Request) => Promise<Response>;

const encoder = new TextEncoder();

async function* toBytes(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield typeof chunk === 'string' ? encoder.encode(chunk) : chunk;
}

/** A reply as the Fetch standard has it. */
const toResponse = ({ status, headers, body }: ContractReply): Response => {
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, String(each)]),
  );
  const hasBody = ![204, 205, 304].includes(status);
  const content =
    typeof body === 'string' || body instanceof Uint8Array
      ? body
      : Readable.toWeb(Readable.from(toBytes(body)));
  return new Response(hasBody ? content : null, { status, headers: fields });
};

/** Serves a contract as a fetch handler, as Deno, Bun and workers of clouds run it. */
const createFetchHandler =
  (contract: (request: ContractRequest) => Promise<ContractReply>): Fetch =>
  async (request) => {
    const { pathname, search } = new URL(request.url);
    const { method, body, signal } = request;
    const headers = Object.fromEntries(request.headers);
    return toResponse(
      await contract({ method, url: pathname + search, headers, body: body ?? undefined, signal }),
    );
  };

/** Runs a fetch handler on Node's server, so that the tester reaches it. */
const listen = async (handle: Fetch) => {
  const server = createServer(async (incoming, response) => {
    const fields = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    );
    if (incoming.method === 'TRACE') return void response.writeHead(405, { Allow: 'POST' }).end(); // fetch has no TRACE
    const hasBody = !['GET', 'HEAD'].includes(incoming.method ?? '');
    const request = new Request(`http://localhost${incoming.url}`, {
      ...(incoming.method !== undefined && { method: incoming.method }),
      headers: fields,
      ...(hasBody && { body: Readable.toWeb(incoming), duplex: 'half' }),
    });
    const { status, headers, body } = await handle(request);
    response.writeHead(status, Object.fromEntries(headers));
    if (body) await pipeline(Readable.fromWeb(body), response);
    else response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    close: () => server.close().closeAllConnections(),
  };
};

const TOKEN = 'a-token-of-the-adapter';
const store = openStore({ databaseUrl: 'memory:' });
const started = (async () => {
  const contract = await createContract(await loadDocument(CONTRACT_FILE), createHandlers(await store), {
    authenticators: {
      bearerAuth: {
        type: 'bearer',
        authenticate: (token) => (token === TOKEN ? { name: 'tests', scopes: ['*'] } : undefined),
      },
    },
    errorBody,
  });
  return listen(createFetchHandler(contract));
})();
afterAll(async () => {
  (await started).close();
  await (await store).close();
});

await contractTests({ url: async () => (await started).url, spec: CONTRACT_FILE, token: TOKEN });
