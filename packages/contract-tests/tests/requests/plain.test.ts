import { createContract } from '../../src/document/contract.ts';
import { sourcesOf } from '../../src/document/sources.ts';
import { createPlain } from '../../src/generation/plain.ts';

const { request } = createContract(
  sourcesOf({ openapi: '3.1.0', info: { title: 'Plain', version: '1' }, paths: {} }),
);
const plainOf = createPlain(request);

test.each<[schema: object, first: unknown[]]>([
  [{ type: 'string', minLength: 10 }, ['thing0gggg', 'thing1gggg']],
  [{ type: 'string', maxLength: 3 }, ['ng0', 'ng1']],
  [{ type: 'integer', minimum: 1000 }, [1001, 1002]],
  [{ type: 'number', minimum: 1.5 }, [2, 3]],
  [{ type: 'integer', minimum: 2n ** 60n, format: 'int64' }, [2n ** 60n + 1n, 2n ** 60n + 2n]],
])('plain values of %p differ, so that none is in the way of another', (schema, first) => {
  const made = Array.from({ length: 100 }, (_, count) => plainOf(schema, { isFull: false, count }));
  expect(made.slice(0, 2)).toEqual(first);
  expect(new Set(made).size).toBe(100);
});

test('a number between narrow bounds equals one of them', () => {
  const made = [0, 1].map((count) =>
    plainOf({ type: 'number', minimum: 0, maximum: 1 }, { isFull: false, count }),
  );
  expect(made).toEqual([1, 1]);
  expect(plainOf({ type: 'number', minimum: 0, exclusiveMaximum: 1 }, { isFull: false, count: 0 })).toBe(0);
});
