import { valueChecks } from '../values-service.ts';

const check = valueChecks(['coverage']);

test.each<[schema: string, first: string[]]>([
  ['{ type: string, minLength: 10 }', ['"thing0gggg"', '"thing1gggg"']],
  ['{ type: string, maxLength: 3 }', ['"ng0"', '"ng1"']],
  ['{ type: integer, minimum: 1000 }', ['1001', '1002']],
  ['{ type: number, minimum: 1.5 }', ['2', '3']],
  ['{ type: number, minimum: 0, maximum: 1 }', ['1', '1']],
  ['{ type: number, minimum: 0, exclusiveMaximum: 1 }', ['0', '0']],
  [
    '{ type: integer, minimum: 1152921504606846976, format: int64 }',
    ['1152921504606846977', '1152921504606846978'],
  ],
])(
  'plain values of %s differ where they can, so that none is in the way of another',
  async (schema, first) => {
    const bodies: string[] = [];
    await check(schema, { takes: (body) => bodies.push(body) > 0 }, {}, 2);
    expect(bodies.slice(0, 2)).toEqual(first);
  },
);
