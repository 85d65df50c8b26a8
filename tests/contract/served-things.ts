import { createContract } from '../../src/contract/contract.ts';
import { createApp } from '../../src/http/app.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { exchange } from '../support/raw-http.ts';
import { createTestWatch } from '../support/watch.ts';
import { documentFactory } from './things.ts';

/** Serves one operation on /things over real HTTP for as long as one exchange takes. */
export const thingsServer = () => {
  const { newDocument } = documentFactory();
  return async (
    method: string,
    operation: object,
    handle: (request: { readonly body: unknown }) => object,
    sent: string,
  ): Promise<string> => {
    const document = await newDocument({
      paths: { '/things': { [method]: { operationId: 'serveThings', ...operation } } },
    });
    // The types of handlers are those of this repository's own contract; entries have no type of their own.
    const entry: unknown[] = ['serveThings', async (request: { body: unknown }) => handle(request)];
    const handlers = Object.fromEntries([entry]);
    const contract = await createContract({ document, handlers, authenticators: {}, maxBodyBytes: 1000 });
    const watched = createTestWatch();
    const app = createApp({ contract, ...watched, check: async () => undefined });
    const { listen, stop } = createHttpServer(app, watched.watch);
    const { port } = new URL(await listen(0, '127.0.0.1'));
    return exchange(Number(port), sent).finally(() => stop(1000));
  };
};
