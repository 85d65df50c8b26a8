import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Contract } from '../document/contract.ts';
import { operationsOf } from '../document/operations.ts';
import type { Credentials } from '../exchange/credentials.ts';
import { EXIT, Exit } from './options.ts';

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
export const startOwnService = async (
  { args, settings }: Pick<OwnService, 'args' | 'settings'>,
  token: string,
) => {
  const folder = mkdtempSync(join(tmpdir(), 'contract-tests-'));
  const child = spawn(process.execPath, args, {
    cwd: folder,
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
