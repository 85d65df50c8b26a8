import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { ReadText } from '@trellis/openapi/internal/files';
import { type Contract, createContract } from '../document/contract.ts';
import { operationsOf } from '../document/operations.ts';
import { moveTo, readSources } from '../document/sources.ts';
import type { Credentials, Header } from '../exchange/credentials.ts';
import { createTransport, NoAnswer, type TransportOptions } from '../exchange/transport.ts';
import { EXIT, Exit } from './options.ts';
import type { NamedSettings } from './settings.ts';

/** How long to wait for a contract that is fetched. */
const PATIENCE_MS = 10_000;

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
export const findContract = async ({ spec, basePath, headers }: NamedSettings): Promise<Contract> => {
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

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)|ALTNAME/;

const remedyFor = (code: string): string =>
  CERTIFICATE.test(code)
    ? "its certificate is not trusted: name a file with its authority's certificate in NODE_EXTRA_CA_CERTS"
    : 'start it, or give another URL';

/** Creates the transport to a service. Throws one sentence with the remedy if no service answers; any reply is enough. */
export const reachService = async (url: string, options: TransportOptions) => {
  const transport = createTransport(url, options);
  const request = { method: 'GET', target: '/', headers: [], body: undefined };
  await transport.send(request).catch((error: unknown) => {
    transport.close();
    if (!(error instanceof NoAnswer)) throw error;
    const sentence = `no service answers at ${url} (${error.message}): ${remedyFor(error.message)}`;
    throw new Exit(EXIT.service, sentence);
  });
  return transport;
};

/** The service that the command starts and tests if it is given no URL. */
export interface OwnService {
  readonly args: readonly string[];
  readonly spec: string;
  /** Environment variables, beside those for its port, token and SQLite file. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
}

const USER = 'tests';

/** Creates a random token. */
export const makeToken = (): string => randomBytes(24).toString('base64url');

/** Uses one token for every security scheme, as the started service does. */
export const credentialsFor = (contract: Contract, token: string): Credentials => {
  const schemes = operationsOf(contract).flatMap(({ security }) => security.flat());
  const keys = schemes.flatMap(({ type, key }) => (type === 'apiKey' ? [[key, token] as const] : []));
  return { token, basic: `${USER}:${token}`, apiKeys: Object.fromEntries(keys) };
};

/** Starts a service on a free port with an empty store. `end` stops it and removes the store. */
export const startOwnService = async ({ args, settings }: Omit<OwnService, 'spec'>, token: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'contract-tests-'));
  const hasLoader = args.some((each) => /^--(?:import|require|loader)\b/.test(each));
  const child = spawn(process.execPath, args, {
    cwd: hasLoader ? process.cwd() : folder, // where the loader is found
    env: {
      PATH: process.env.PATH ?? '',
      PORT: '0',
      DATABASE_URL: `sqlite:${join(folder, 'store.db')}`,
      ...settings,
      ACCESS_TOKENS: `${USER}:${token}:*`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true, // Ctrl+C ends the test, which then ends the service
  });
  const closed = once(child, 'close');
  const leave = (): void => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', leave);
  for (const signal of ['SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => process.exit(EXIT.interrupted));
  const end = async (): Promise<void> => {
    child.kill('SIGTERM');
    await closed;
    process.off('exit', leave);
    rmSync(folder, { recursive: true, force: true });
  };
  let last = '';
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      last = line;
      const [, address] = /"address":"([^"]+)".*"msg":"listening"/.exec(line) ?? [];
      if (address !== undefined) resolve(address);
    });
    child.once('close', () => reject(new Exit(EXIT.service, `the service did not start: ${last}`)));
  }).catch(async (error: unknown) => {
    await end();
    throw error;
  });
  return { url, end };
};
