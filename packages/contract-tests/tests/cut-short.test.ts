import { run } from './run.ts';
import { startThings, THINGS_FILE, THINGS_TOKEN } from './things-service.ts';

/** Sends broken parameters to a service that takes them all, and interrupts the run at a request. */
const interruptAfter = async (requests: number) => {
  let left = requests;
  const isLimit = (): boolean => {
    left -= 1;
    if (left === 0) process.emit('SIGINT');
    return true;
  };
  const { url, close } = await startThings({ isLimit });
  const options = { url, spec: THINGS_FILE, credentials: { token: THINGS_TOKEN }, requests: 10 };
  const { code, end, failures, phases } = await run({
    ...{ ...options, phases: ['parameters'] },
    flags: ['--concurrency=1'],
  });
  await close();
  const found = phases.flatMap(({ subjects }) => subjects.flatMap((subject) => subject.found));
  return { code, why: end?.why, failures, first: found[0]?.name };
};

test.each([1, 3])('after an interrupt at request %i, failures so far are reported', async (requests) => {
  expect(await interruptAfter(requests)).toMatchObject({
    ...{ code: 130, why: 'it was interrupted', first: 'query.limit as "abc"' },
    failures: expect.any(Number),
  });
});
