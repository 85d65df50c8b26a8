import { createRemembered } from '../../src/auth/remembered.ts';

const FOR_LONG = Date.now() + 3_600_000;
const alice = { name: 'alice' };

test('a token is remembered, and no other', () => {
  const { recall, remember } = createRemembered();
  remember('one', alice, FOR_LONG);
  expect([recall('one'), recall('two')]).toEqual([alice, undefined]);
});

test('not beyond the moment that it is remembered until, and never for longer than the most', () => {
  const { recall, remember } = createRemembered();
  remember('over', alice, Date.now());
  expect(recall('over')).toBeUndefined();
  const brief = createRemembered({ maxAge: 0 });
  brief.remember('one', alice, FOR_LONG);
  expect(brief.recall('one')).toBeUndefined();
});

test('when there are too many, the one that was remembered longest ago is forgotten', () => {
  const { recall, remember } = createRemembered({ maxEntries: 2 });
  for (const token of ['one', 'two', 'one', 'three']) remember(token, alice, FOR_LONG);
  expect(['one', 'two', 'three'].map((token) => recall(token)?.name)).toEqual(['alice', undefined, 'alice']);
});

test('a clock that is set back lets nobody be remembered for longer', () => {
  const { recall, remember } = createRemembered({ maxAge: 20 });
  const { now } = Date;
  remember('one', alice, FOR_LONG);
  const since = performance.now();
  Date.now = () => now() - 3_600_000;
  try {
    while (performance.now() - since < 25);
    expect(recall('one')).toBeUndefined();
  } finally {
    Date.now = now;
  }
});
