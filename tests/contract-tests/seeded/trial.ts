import { fileURLToPath } from 'node:url';
import { createContract } from '../../../scripts/contract-tests/document/contract.ts';
import { readSources } from '../../../scripts/contract-tests/document/sources.ts';
import { createTransport } from '../../../scripts/contract-tests/exchange/transport.ts';
import { run } from '../../../scripts/contract-tests/run.ts';
import { DESK_KEY, startLibrary, TOKEN } from './service/server.ts';
import type { Variant } from './service/variant.ts';

const FILE = fileURLToPath(new URL('seeded.yaml', import.meta.url));
const contract = createContract(await readSources(FILE));

/** The seeds of all trials. */
export const SEEDS = [41, 4711, 20_261_116] as const;

/** Holds the contract tests against a variant of the service, as the command does by default. */
export const tryOut = async (variant: Variant, seed: number) => {
  const { url, close } = await startLibrary(variant);
  const transport = createTransport(url);
  const start = process.cpuUsage();
  try {
    const { text, failures } = await run({
      contract,
      transport,
      credentials: { token: TOKEN, apiKeys: { 'X-Desk-Key': DESK_KEY } },
      requests: 100,
      seed,
      url,
      report: () => {},
    });
    const { user, system } = process.cpuUsage(start);
    return { text, failures, cpu: (user + system) / 1e6 };
  } finally {
    transport.close();
    await close();
  }
};
