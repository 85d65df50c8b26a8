import { Problem } from '@trellis/contract';
import { post, read, startService } from '../support/service.ts';
import { createThings, type Things } from '../support/things.ts';

const THING = '{"id":1,"name":"Lamp"}';

/** A service whose store fails once, in the given way, and works from then on. */
const startFailingOnce = (failure: unknown, explain = (error: unknown) => error) => {
  const failures = [failure];
  const things: Things = {
    ...createThings(),
    async create() {
      if (failures.length > 0) throw failures.pop();
      return 'created';
    },
  };
  return startService({ things, explain });
};

test('an unexpected error answers 500, without internal details', async () => {
  const failure = new Error('secret detail', { cause: new Error('disk /dev/secret') });
  const service = await startFailingOnce(failure);
  const reply = await post(service, THING);

  expect(reply.headers.get('content-type')).toBe('application/json');
  expect(await read(reply)).toEqual({ status: 500, body: { error: 50001, message: 'internal error' } });
  expect((await post(service, THING)).status).toBe(200);
  await service.close();
});

test('an unexpected error is logged with its cause and its request', async () => {
  const failure = new Error('secret detail', { cause: new Error('disk /dev/secret') });
  const service = await startFailingOnce(failure);
  const reply = await post(service, THING);

  const [entry, ...others] = service.logged;
  expect(others).toEqual([]);
  expect(entry).toMatchObject({
    requestId: reply.headers.get('x-request-id'),
    method: 'POST',
    path: '/things',
    operation: 'createThing',
    who: 'tests',
    status: 500,
  });
  expect(entry && 'err' in entry && entry.err).toBe(failure);
  await service.close();
});

test.each([['text'], [undefined], [null], [{ status: 200, message: 'not an Error' }]])(
  'even %j, thrown, answers 500 in the Error shape',
  async (failure) => {
    const service = await startFailingOnce(failure);
    expect(await read(post(service, THING))).toEqual({
      status: 500,
      body: { error: 50001, message: 'internal error' },
    });
    expect(service.logged).toHaveLength(1);
    await service.close();
  },
);

test('an error that `explain` makes a Problem of is answered as that, and logged with its cause', async () => {
  const failure = new Error('disk /dev/secret');
  const explain = (error: unknown) => new Problem('overloaded', 'try again', { cause: error });
  const service = await startFailingOnce(failure, explain);
  expect(await read(post(service, THING))).toEqual({
    status: 503,
    body: { error: 50302, message: 'try again' },
  });
  expect(service.logged).toHaveLength(1);
  expect(service.logged[0]).toHaveProperty('err.cause', failure);
  await service.close();
});

test('of a flood of refusals each is logged, one with the cause; of bugs each has its own', async () => {
  const flood = async (failure: unknown) => {
    const things = { ...createThings(), create: () => Promise.reject(failure) };
    const service = await startService({ things });
    await Promise.all(Array.from({ length: 20 }, () => post(service, THING)));
    await service.close();
    expect(service.logged).toHaveLength(20);
    return service.logged.filter((line) => 'err' in line).length;
  };
  expect(await flood(new Problem('overloaded', 'try again', { cause: new Error('away') }))).toBe(1);
  expect(await flood(new Error('a bug'))).toBe(20);
});
