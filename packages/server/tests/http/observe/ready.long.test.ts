import { read, type Service, startService } from '../../support/service.ts';
import { createThings } from '../../support/things.ts';

/** A store that records how often it was checked, and answers only when the test releases it. */
const createSlowStore = () => {
  const answers: ((reason: undefined) => void)[] = [];
  const check = () =>
    new Promise<undefined>((resolve) => {
      answers.push(resolve);
    });
  return { things: { ...createThings(), check }, answers };
};

let service: Service | undefined;
afterEach(() => service?.close());

test('while the store has not answered one probe it is asked no other, however long it takes', async () => {
  const { things, answers } = createSlowStore();
  service = await startService({ things });
  const { url } = service;
  const probe = () => read(fetch(`${url}/readyz`));
  const late = { status: 503, body: { error: 50301, message: 'timeout' } };

  expect(await Promise.all([probe(), probe()])).toEqual([late, late]);
  expect(await probe()).toEqual(late);
  expect(answers).toHaveLength(1);

  answers[0]?.(undefined);
  const ready = probe();
  while (answers.length < 2) await new Promise(setImmediate);
  answers[1]?.(undefined);
  expect(await ready).toEqual({ status: 200, body: { status: 'ok' } });
});
