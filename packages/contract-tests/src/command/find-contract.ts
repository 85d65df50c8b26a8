import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ReadText } from '@trellis/openapi';
import { type Contract, createContract } from '../document/contract.ts';
import { operationsOf } from '../document/operations.ts';
import { moveTo } from '../document/servers.ts';
import { readSources, type Sources } from '../document/sources.ts';
import type { Header } from '../report/secrets.ts';
import { EXIT, Exit } from './exit.ts';

/** The contract of this folder. */
const OWN = 'openapi.yaml';
/** Where services offer their contract. */
const OFFERED = ['openapi.yaml', 'openapi.json'];
/** How long to wait for a contract. */
const PATIENCE_MS = 10_000;
/** The longest contract that is fetched, in bytes. */
const LONGEST = 50_000_000;

/** Where to look for a contract. */
export interface Wanted {
  readonly spec: string | undefined;
  readonly url: string;
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
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of response.body ?? []) {
      length += chunk.length;
      if (length > LONGEST) throw new Error(`more than ${LONGEST / 1_000_000} MB`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  };

/** The addresses at which a service may offer its contract: below its URL, and below its host. */
const offersOf = (url: string): string[] => [
  ...new Set([`${url}/`, `${new URL(url).origin}/`].flatMap((base) => OFFERED.map((name) => base + name))),
];

const fetchOffered = async ({ url, headers }: Wanted): Promise<string> => {
  const read = createFetch(headers);
  for (const offer of offersOf(url)) {
    const text = await read(offer).catch(() => '');
    if (/^\s*["']?openapi["']?\s*:/m.test(text) || /"openapi"\s*:/.test(text)) return offer;
  }
  throw new Exit(
    EXIT.contract,
    `there is no openapi.yaml in this folder, and the service offers none: name the contract with --spec`,
  );
};

const read = async (wanted: Wanted, place: string): Promise<Sources> =>
  /^https?:/i.test(place) ? readSources(place, createFetch(wanted.headers)) : readSources(resolve(place));

/** Whether a contract can only come from the service itself. */
export const isOffered = ({ spec }: Pick<Wanted, 'spec'>): boolean => spec === undefined && !existsSync(OWN);

/** Finds and reads the contract: `--spec`, else openapi.yaml in this folder, else what the service serves. */
export const findContract = async (wanted: Wanted): Promise<{ contract: Contract; name: string }> => {
  const name = isOffered(wanted) ? await fetchOffered(wanted) : (wanted.spec ?? OWN);
  try {
    const sources = await read(wanted, name);
    for (const line of sources.leftOut) console.error(line);
    const contract = createContract(
      wanted.basePath === undefined ? sources : moveTo(wanted.basePath, sources),
    );
    if (operationsOf(contract).length > 0) return { contract, name };
  } catch (error) {
    // A bug of this command: its stack is needed.
    if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) throw error;
    throw new Exit(EXIT.contract, error.message);
  }
  throw new Exit(EXIT.contract, `${name} has no operations: there is nothing to test`);
};
