import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ReadText } from '@trellis/openapi/internal/document';
import { type Contract, createContract } from '../document/contract.ts';
import { operationsOf } from '../document/operations.ts';
import { moveTo } from '../document/servers.ts';
import { readSources } from '../document/sources.ts';
import type { Header } from '../report/secrets.ts';
import { EXIT, Exit } from './exit.ts';

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
