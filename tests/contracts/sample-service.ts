import fc from 'fast-check';
import { PROBLEMS } from '../../packages/contract/src/problems/problem.ts';
import type { Authenticators } from '../../packages/contract/src/security/security.ts';
import { createContract as readContract } from '../../packages/contract-tests/src/document/contract.ts';
import { type Operation, operationsOf } from '../../packages/contract-tests/src/document/operations.ts';
import { readSources } from '../../packages/contract-tests/src/document/sources.ts';
import { loadDocument } from '../../packages/openapi/src/files/load.ts';
import { serveDocument } from '../../packages/server/tests/support/serve.ts';

/** The credentials that the sample service accepts, whatever the names of the schemes. */
export const CREDENTIALS = {
  token: 'a-token-for-tests',
  basic: 'ada:a password',
  apiKeys: { 'X-Api-Key': 'a-header-key', key: 'a-query-key', api_key: 'a-cookie-key' },
};

const somebody = { name: 'tests', scopes: ['*'] };
const knows = (right: boolean) => (right ? somebody : undefined);
const AUTHENTICATORS: Authenticators = {
  bearerAuth: { type: 'bearer', authenticate: (token) => knows(token === CREDENTIALS.token) },
  basicAuth: {
    type: 'basic',
    authenticate: (name, password) => knows(`${name}:${password}` === CREDENTIALS.basic),
  },
  headerKey: { type: 'apiKey', authenticate: (key) => knows(key === CREDENTIALS.apiKeys['X-Api-Key']) },
  queryKey: { type: 'apiKey', authenticate: (key) => knows(key === CREDENTIALS.apiKeys.key) },
  cookieKey: { type: 'apiKey', authenticate: (key) => knows(key === CREDENTIALS.apiKeys.api_key) },
};

/** Serves any contract by the engine of this service, with replies that are generated from the contract. */
export const startSampleService = async (file: string) => {
  const contract = readContract(await readSources(file));
  const draw = <T>(values: fc.Arbitrary<T>): T | undefined => fc.sample(values, 1)[0];

  /** A reply of the first status that is no error. */
  const replyOf = ({ replies }: Operation) => {
    const [[key, reply] = ['200', undefined]] = [...replies].filter(([status]) => /^2/.test(status));
    const [content] = reply?.contents ?? [];
    const headers = (reply?.headers ?? []).map(({ name, schema, examples: { example } }) => {
      const value = example ?? draw(contract.reply.arbitraryOf(schema, 'word'));
      return [name, Array.isArray(value) ? value.join() : value];
    });
    const isText = content && content.kind !== 'json';
    const body =
      content && (isText ? content.examples.example : draw(contract.reply.arbitraryOf(content.schema)));
    return { status: Number(key.replace('XX', '00')), headers: Object.fromEntries(headers), body };
  };

  const handlers = Object.fromEntries(
    operationsOf(contract).map((operation) => [operation.id, async () => replyOf(operation)]),
  );
  const { url, logged, close } = await serveDocument({
    document: await loadDocument(file),
    handlers,
    authenticators: AUTHENTICATORS,
    checkReplies: true,
  });
  /**
   * The tests share a process with the service and can overload it: clients repeat requests that it refuses as
   * overloaded.
   */
  const isFailure = (line: object): boolean => !('error' in line && line.error === PROBLEMS.overloaded);
  return { url, contract, failures: () => logged.filter(isFailure), close };
};
