import { Problem } from '@trellis/contract';
import { cacheControl, decodeCursor, encodeCursor, link } from '@trellis/contract/internal/http';

test('Cache-Control is written from directives', () => {
  expect(cacheControl({ maxAge: 60, public: true, staleWhileRevalidate: 5, private: false })).toBe(
    'max-age=60, public, stale-while-revalidate=5',
  );
  expect(cacheControl({ noStore: true })).toBe('no-store');
  expect(() => cacheControl({ maxAge: -1 })).toThrow('maxAge must be a whole number');
});

test('Link is written from URLs by relation, and none can add a field or another link', () => {
  const next = new URL('http://things.test/a?b=c,d;e');
  expect(link({ next, prev: undefined, first: '/a' })).toBe(
    '<http://things.test/a?b=c,d;e>; rel="next", </a>; rel="first"',
  );
  expect(() => link({ next: '/a>; rel="evil' })).toThrow('cannot stand in a Link');
  expect(() => link({ next: '/a\r\nX: y' })).toThrow('cannot stand in a Link');
});

describe('a cursor', () => {
  const readId = (value: unknown) => (typeof value === 'string' ? { after: BigInt(value) } : undefined);

  test('is decoded to the encoded value, and fits into a URL', () => {
    const cursor = encodeCursor(`${2n ** 63n - 1n}`);
    expect(cursor).toMatch(/^[\w-]+$/);
    expect(decodeCursor(cursor, readId)).toEqual({ after: 9223372036854775807n });
    expect(decodeCursor(encodeCursor(false), (value) => value)).toBe(false);
  });

  test.each(['', '!', 'bm9uc2Vuc2U', encodeCursor(41), encodeCursor('a thing')])(
    'that was not made here is a 400: %j',
    (cursor) => {
      const decode = () => decodeCursor(cursor, readId);
      expect(decode).toThrow(Problem);
      expect(decode).toThrow('the cursor is not from this service');
    },
  );
});
