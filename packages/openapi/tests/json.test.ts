import {
  compareDecimals,
  followRefs,
  identityOf,
  isMultipleOf,
  ownMember,
  parseDecimal,
  parseExactNumbers,
  pointerSteps,
  pointerTo,
  targetOf,
  toInt64,
  toJson,
  uriFragment,
  valueAt,
} from '@trellis/openapi/internal/json';
import fc from 'fast-check';

const decimal = (text: string) => {
  const parsed = parseDecimal(text);
  if (!parsed) throw new Error(`${text} is no decimal`);
  return parsed;
};

test('any pointer leads back to its steps, also as a fragment', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), (steps) => {
      expect(pointerSteps(pointerTo(...steps))).toEqual(steps);
      if (steps.length > 0) expect(targetOf(uriFragment(pointerTo(...steps)))).toBe(pointerTo(...steps));
    }),
  );
});

test('a pointer finds own members only', () => {
  expect(valueAt({ a: [{ 'b/c': 1 }] }, '/a/0/b~1c')).toBe(1);
  expect(valueAt({}, '/constructor')).toBeUndefined();
  expect(ownMember({}, '__proto__')).toBeUndefined();
});

test('references are followed wherever they stand on the way, and circles end', () => {
  const document = {
    a: { $ref: '#/b' },
    b: { c: { $ref: '#/d' } },
    d: { e: 1 },
    x: { $ref: '#/y' },
    y: { $ref: '#/x' },
  };
  expect(followRefs(document, '/a/c/e')).toBe('/d/e');
  expect(['/x', '/y']).toContain(followRefs(document, '/x'));
});

test('references that lead through others twice are followed once each', () => {
  const levels = Array.from({ length: 60 }, (_, level) => level);
  const ends = Object.fromEntries(levels.map((level) => [`p${level + 1}`, { $ref: `#/r${level}` }]));
  const document = {
    ...Object.fromEntries(levels.map((level) => [`r${level + 1}`, { $ref: `#/r${level}/p${level + 1}` }])),
    r0: ends,
  };
  expect(followRefs(document, '/r60')).toBe('/r0');
});

test('JSON is written with bigints as bare integers', () => {
  expect(toJson({ id: 2n ** 63n - 1n, list: [1n, 'a', null], gone: undefined })).toBe(
    '{"id":9223372036854775807,"list":[1,"a",null]}',
  );
});

test('for whatever JSON.stringify writes, so does toJson', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => expect(toJson(value)).toBe(JSON.stringify(value))));
});

test.each([
  ['a Map', new Map([[1, 2]])],
  ['a Promise', Promise.resolve(1)],
  ['a function', () => 1],
])('%s is refused, not written as an empty object', (_what, value) => {
  expect(() => toJson({ value })).toThrow(/cannot be written as JSON/);
});

test('only numbers that a double may not hold are read as texts', () => {
  expect(parseExactNumbers('{"a":1,"b":"90071992547409"}')).toBeUndefined();
  expect(parseExactNumbers('{"a":9007199254740993,"b":1,"c":"\\"9007199254740993"}')).toEqual({
    a: '9007199254740993',
    b: 1,
    c: '"9007199254740993',
  });
});

test.each([
  ['9223372036854775807', 2n ** 63n - 1n],
  ['-9223372036854775808', -(2n ** 63n)],
  ['41.0', 41n],
  ['1e3', 1000n],
])('%s is an int64', (source, value) => {
  expect(toInt64(Number(source), source)).toBe(value);
});

test('decimals are compared and divided without rounding', () => {
  expect(compareDecimals(decimal('0.1'), decimal('1e-1'))).toBe(0);
  expect(compareDecimals(decimal('9007199254740993'), decimal('9007199254740992'))).toBe(1);
  expect(isMultipleOf(decimal('1.1'), decimal('0.1'))).toBe(true);
  expect(isMultipleOf(decimal('1'), decimal('0'))).toBe(false);
  expect(parseDecimal('1e999')).toBeUndefined();
});

test('equal values have the same identity, however they were written', () => {
  expect(identityOf({ a: 1.5, b: [1] }, {})).toBe(identityOf({ b: [1], a: 1.5 }, { a: '1.50' }));
  expect(identityOf(2 ** 53, '9007199254740993')).not.toBe(identityOf(2 ** 53, '9007199254740992'));
  expect(identityOf('long text', undefined, 3)).toBeUndefined();
});
