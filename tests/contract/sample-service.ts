import fc from 'fast-check';
import { createContract as readContract } from '../../scripts/contract-tests/document/contract.ts';
import { type Operation, operationsOf } from '../../scripts/contract-tests/document/operations.ts';
import { readSources } from '../../scripts/contract-tests/document/sources.ts';
import { createContract } from '../../src/contract/contract.ts';
import { loadDocument } from '../../src/contract/document/load.ts';
import type { Authenticators } from '../../src/contract/security.ts';
import { createApp } from '../../src/http/app.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { createTestWatch } from '../support/watch.ts';

/** Who is let in, whatever the names of the schemes. */
export const CREDENTIALS = {
  token: 'a-token-for-tests',
  basic: 'ada:a password',
  apiKeys: { 'X-Api-Key': 'a-header-key', key: 'a-query-key', api_key: 'a-cookie-key' },
};

const somebody = { name: 'tests' };
const knows = (right: boolean) => (right ? somebody : undefined);
const AUTHENTICATORS: Authenticators = {
  bearerAuth: { type: 'bearer', authenticate: (token) => knows(token === CREDENTIALS.token) },
  basicAuth: { type: 'basic', authenticate: (...pair) => knows(pair.join(':') === CREDENTIALS.basic) },
  headerKey: { type: 'apiKey', authenticate: (key) => knows(key === CREDENTIALS.apiKeys['X-Api-Key']) },
  queryKey: { type: 'apiKey', authenticate: (key) => knows(key === CREDENTIALS.apiKeys.key) },
  cookieKey: { type: 'apiKey', authenticate: (key) => knows(key === CREDENTIALS.apiKeys.api_key) },
};

/** Serves any contract by the engine of this service, with replies made up from what the contract declares. */
export const startSampleService = async (file: string) => {
  const contract = readContract(await readSources(file));
  const draw = <T>(values: fc.Arbitrary<T>): T | undefined => fc.sample(values, 1)[0];

  /** A reply of the first status that is no error. */
  const replyOf = ({ responses }: Operation) => {
    const [[key, response] = ['200', undefined]] = [...responses].filter(([status]) => /^2/.test(status));
    const [content] = response?.contents ?? [];
    const headers = (response?.headers ?? []).map(({ name, schema, examples: { example } }) => {
      const value = example ?? draw(contract.response.arbitraryOf(schema, 'word'));
      return [name, Array.isArray(value) ? value.join() : value];
    });
    const isText = content && content.kind !== 'json';
    const body =
      content && (isText ? content.examples.example : draw(contract.response.arbitraryOf(content.schema)));
    return { status: Number(key.replace('XX', '00')), headers: Object.fromEntries(headers), body };
  };

  // The types of handlers are those of this repository's own contract; entries have no type of their own.
  const handlers = Object.fromEntries(
    operationsOf(contract).map((operation): unknown[] => [operation.id, async () => replyOf(operation)]),
  );
  const failed: object[] = [];
  const watched = createTestWatch({ error: (details) => failed.push(details) });
  const app = createApp({
    contract: await createContract({
      document: await loadDocument(file),
      handlers,
      authenticators: AUTHENTICATORS,
      maxBodyBytes: 102_400,
      checkReplies: true,
    }),
    ...watched,
    check: async () => undefined,
  });
  const { listen, stop } = createHttpServer(app, watched.watch);
  return { url: await listen(0, '127.0.0.1'), contract, failed, close: () => stop(1000) };
};
