import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ReadText } from '@trellis/openapi';
import { type Contract, createContract } from '../document/contract.ts';
import { operationsOf } from '../document/operations.ts';
import { moveTo } from '../document/servers.ts';
import { readSources } from '../document/sources.ts';
import type { Header } from '../report/secrets.ts';
import { EXIT, Exit } from './exit.ts';

/** The contract of this folder. */
const OWN = 'openapi.yaml';
/** How long to wait for a contract. */
const PATIENCE_MS = 10_000;

/** Where to look for a contract. */
interface Wanted {
  readonly spec: string | undefined;
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

/** Reads the contract: `--spec`, else openapi.yaml in this folder. */
export const findContract = async ({
  spec,
  basePath,
  headers,
}: Wanted): Promise<{ contract: Contract; name: string }> => {
  const name = spec ?? OWN;
  if (spec === undefined && !existsSync(OWN))
    throw new Exit(EXIT.contract, `there is no ${OWN} in this folder: name the contract with --spec`);
  try {
    const isRemote = /^https?:/i.test(name);
    const sources = await (isRemote ? readSources(name, createFetch(headers)) : readSources(resolve(name)));
    for (const line of sources.leftOut) console.error(line);
    const contract = createContract(basePath === undefined ? sources : moveTo(basePath, sources));
    if (operationsOf(contract).length > 0) return { contract, name };
  } catch (error) {
    // A bug of this command: its stack is needed.
    if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) throw error;
    throw new Exit(EXIT.contract, error.message);
  }
  throw new Exit(EXIT.contract, `${name} has no operations: there is nothing to test`);
};
