import { createContract } from '../src/document/contract.ts';
import { readSources } from '../src/document/sources.ts';
import { examine } from '../src/examine.ts';
import { createTransport } from '../src/exchange/transport.ts';
import { countFailures } from '../src/report/results.ts';
import { startThings, THINGS_FILE, THINGS_TOKEN } from './things-service.ts';

const contract = createContract(await readSources(THINGS_FILE));

/** Sends broken parameters to a service that takes them all, until it has answered so often. */
const stopAfter = async (answers: number) => {
  const { url, close } = await startThings({ isLimit: () => true });
  const transport = createTransport(url);
  const stop = new AbortController();
  const results = await examine({
    contract,
    transport,
    credentials: { token: THINGS_TOKEN },
    requests: 10,
    seed: 41,
    concurrency: 1,
    phases: ['parameters'],
    signal: stop.signal,
    onProgress: ({ requests }) => {
      if (requests >= answers) stop.abort('that is enough');
    },
  });
  transport.close();
  await close();
  return results;
};

test('a failure in the last reply before the end is reported', async () => {
  const results = await stopAfter(1);
  expect(results.end).toMatchObject({ kind: 'stopped', why: 'that is enough' });
  expect(countFailures(results)).toBe(1);
});

test('failures before the end are reported', async () => {
  const { phases } = await stopAfter(3);
  const failures = phases.flatMap(({ subjects }) => subjects.flatMap(({ findings }) => findings.failures));
  expect(failures[0]?.name).toBe('query.limit as "abc"');
});
