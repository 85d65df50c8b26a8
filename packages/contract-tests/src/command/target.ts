import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ReadText } from '@trellis/openapi/internal/document';
import { type Contract, createContract } from '../document/contract.ts';
import { operationsOf } from '../document/operations.ts';
import { moveTo, readSources } from '../document/sources.ts';
import { createTransport, NoAnswer, type Transport, type TransportOptions } from '../exchange/transport.ts';
import type { Header } from '../report/secrets.ts';
import { addHeaders } from '../requests/call.ts';
import { EXIT, Exit } from './options.ts';

/** How long to wait for a contract that is fetched. */
const PATIENCE_MS = 10_000;

interface Wanted {
  readonly spec: string;
  readonly basePath: string | undefined;
  readonly headers: readonly Header[];
}

const createFetch =
  (headers: readonly Header[]): ReadText =>
  async (url) => {
    const response = await fetch(url, {
      headers: headers.map(([name, value]): [string, string] => [name, value]),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (!response.ok) throw new Error(`${response.status}`);
    return response.text();
  };

/** Reads the contract, a file or a URL. */
export const findContract = async ({ spec, basePath, headers }: Wanted): Promise<Contract> => {
  const isRemote = /^https?:/i.test(spec);
  if (!isRemote && !existsSync(spec))
    throw new Exit(EXIT.contract, `there is no ${spec}: name the contract with --spec`);
  try {
    const sources = await (isRemote ? readSources(spec, createFetch(headers)) : readSources(resolve(spec)));
    for (const line of sources.leftOut) console.error(line);
    const contract = createContract(basePath === undefined ? sources : moveTo(basePath, sources));
    if (operationsOf(contract).length > 0) return contract;
  } catch (error) {
    // A bug of this command: keep its stack.
    if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) throw error;
    throw new Exit(EXIT.contract, error.message);
  }
  throw new Exit(EXIT.contract, `${spec} has no operations: there is nothing to test`);
};

/** A transport that adds headers to every request that does not set them. */
export const withHeaders = (headers: readonly Header[], { send, ...rest }: Transport): Transport => ({
  ...rest,
  send: (request) => send(addHeaders(headers, request)),
});

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)|ALTNAME/;

const remedyFor = (code: string): string =>
  CERTIFICATE.test(code)
    ? "its certificate is not trusted: name a file with its authority's certificate in NODE_EXTRA_CA_CERTS"
    : 'start it, or give another URL';

/** Throws one sentence with the remedy if no service answers. Any reply is enough. */
const requireService = async (url: string, { send }: Transport): Promise<void> => {
  try {
    await send({ method: 'GET', target: '/', headers: [], body: undefined });
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    throw new Exit(
      EXIT.service,
      `no service answers at ${url} (${error.message}): ${remedyFor(error.message)}`,
    );
  }
};

/** Creates the transport to a service. Throws if no service answers. */
export const reachService = async (
  url: string,
  options: TransportOptions,
  headers: readonly Header[],
): Promise<Transport> => {
  const transport = withHeaders(headers, createTransport(url, options));
  try {
    await requireService(url, transport);
    return transport;
  } catch (error) {
    transport.close();
    throw error;
  }
};
