import fc from 'fast-check';
import { adaptDocument } from '../../../openapi/src/document/adapt/adapt.ts';
import { type Contract, createContract } from '../../src/document/contract.ts';
import { examine } from '../../src/examine.ts';
import { createTell } from '../../src/exchange/failure.ts';
import { Hanging } from '../../src/exchange/send.ts';
import { createTransport, NoAnswer } from '../../src/exchange/transport.ts';
import { NotGenerated } from '../../src/generation/arbitraries.ts';
import { renderJson, renderJunit } from '../../src/report/files.ts';
import type { Progress } from '../../src/report/progress.ts';
import { renderText } from '../../src/report/text.ts';
import { sourcesOf } from '../sources.ts';
import { documents } from './contracts.ts';
import { startRandom } from './service.ts';

const credentials = { token: 'a-token', basic: 'user:password', apiKeys: { 'X-Key': 'a-key' } };
const PHASES = [
  'examples',
  'coverage',
  'valid',
  'parameters',
  'bodies',
  'credentials',
  'http',
  'transfer',
  'state',
];

/** How many requests one run may send: it is about errors, not about an end. */
const MOST_REQUESTS = 100;

/** To make a contract takes longest, so several services are tested by each. */
const SERVICES = 20;

/** Reads a generated document; returns undefined if it is rejected, such as for half a character in a name. */
const readDocument = (document: object): object | undefined => {
  try {
    return adaptDocument({ ...document }).document;
  } catch {
    return undefined;
  }
};

/** A random contract. */
const contractOf = (seed: number): Contract => {
  const [document = {}] = fc.sample(documents, { seed, numRuns: 1 });
  const read = readDocument(document);
  return read ? createContract(sourcesOf(read)) : contractOf(seed + 1_000_000);
};

/** Tests a service with random replies by a random contract, in all phases. Throws the error of the tester. */
const tryOut = async (
  service: Awaited<ReturnType<typeof startRandom>>,
  contract: Contract,
  seed: number,
): Promise<void> => {
  service.serve(contract, seed);
  const transport = createTransport(service.url, { timeoutMs: 1000 });
  const phases = PHASES.filter((_, index) => index === seed % 8 || (index === 8 && seed % 2 === 0));
  const facts = {
    spec: 'random',
    url: service.url,
    seed,
    requests: 1,
    began: new Date(0),
    milliseconds: 0,
    headers: [],
  };
  const stop = new AbortController();
  const onProgress = ({ requests }: Progress): void => {
    if (requests > MOST_REQUESTS) stop.abort('that is enough');
  };
  try {
    const results = await examine({
      contract,
      transport,
      credentials,
      requests: 1,
      seed,
      phases,
      signal: stop.signal,
      onProgress,
    });
    const tell = createTell(contract, service.url);
    renderText(results, tell);
    renderJson(results, facts, contract, tell);
    renderJunit(results, { name: 'random', milliseconds: 0 }, tell);
  } catch (error) {
    if (error instanceof NoAnswer || error instanceof Hanging || error instanceof NotGenerated) return;
    throw error;
  } finally {
    transport.close();
  }
};

/**
 * Tests services with random replies by random contracts, one for each seed, until the time is up. Returns the number
 * of services, and the errors of the tester itself, each once, with the seed that shows it.
 */
export const fuzz = async (
  first: number,
  runs: number,
  seconds = Number.POSITIVE_INFINITY,
): Promise<{ readonly runs: number; readonly errors: readonly string[] }> => {
  const end = performance.now() + 1000 * seconds;
  const service = await startRandom();
  const found = new Map<string, string>();
  let contract = contractOf(first - (first % SERVICES));
  let seed = first;
  for (; seed < first + runs && performance.now() < end; seed += 1) {
    if (seed % SERVICES === 0) contract = contractOf(seed);
    await tryOut(service, contract, seed).catch((error: Error) => {
      const key = error.stack?.split('\n').slice(0, 2).join() ?? String(error);
      if (!found.has(key)) found.set(key, `--seed ${seed} --runs 1: ${error.stack}`);
    });
  }
  await service.close();
  const mistakes = service.problems.map((problem) => `a mistake of the service: ${problem}`);
  return { runs: seed - first, errors: [...found.values(), ...mistakes] };
};
