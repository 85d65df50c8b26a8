import { createContract } from '../../packages/contract-tests/src/document/contract.ts';
import { readSources } from '../../packages/contract-tests/src/document/sources.ts';
import { createTransport } from '../../packages/contract-tests/src/exchange/transport.ts';
import { run } from '../../packages/contract-tests/src/run.ts';
import { schemeAt } from '../../packages/openapi/src/document/security-scheme.ts';
import { pointerTo, valueAt } from '../../packages/openapi/src/json/pointer.ts';

/** How a contract is tested. */
export interface TestOptions {
  readonly requests: number;
  readonly seed: number;
  /** The token that all security schemes accept, and its name. */
  readonly token: string;
  readonly name: string;
}

/** The names of the headers, query parameters and cookies that API keys are sent in. */
const apiKeysOf = (document: unknown): string[] =>
  Object.keys(valueAt(document, pointerTo('components', 'securitySchemes')) ?? {})
    .map((name) => schemeAt(document, name))
    .flatMap((scheme) => (scheme?.kind === 'apiKey' ? [scheme.parameter] : []));

/** Runs the contract tests of a document against a service, with credentials for each of its security schemes. */
export const testContract = async (
  spec: string,
  url: string,
  { requests, seed, token, name }: TestOptions,
): Promise<{ requests: number; failures: number; text: string }> => {
  const sources = await readSources(spec);
  const contract = createContract(sources);
  const apiKeys = Object.fromEntries(apiKeysOf(sources.document).map((key) => [key, token]));
  const transport = createTransport(url);
  let sent = 0;
  try {
    const { text, failures } = await run({
      contract,
      transport,
      credentials: { token, basic: `${name}:${token}`, apiKeys },
      requests,
      seed,
      url,
      report: () => {
        sent += 1;
      },
    });
    return { requests: sent, failures, text };
  } finally {
    transport.close();
  }
};
