import { int64, json, object, ref, text } from '../support/documents.ts';
import { serveOperation } from '../support/operation.ts';

const refTo = (name: string) => `#/components/schemas/${name}`;
const listOf = (items: object) => ({ type: 'array', items });
const extending = (base: string, properties: object, more: object = {}) => ({
  allOf: [ref(base), object(properties, more)],
});
const discriminator = { propertyName: 'type' };
const baseOf = (mapping?: object) =>
  object({ type: text, id: int64 }, { required: ['type'], discriminator: { ...discriminator, ...mapping } });

/** A base, two subtypes that extend it, and a third level. */
const zoo = {
  Animal: baseOf(),
  Fish: extending('Animal', { fins: int64, friend: ref('Animal') }, { required: ['fins'] }),
  Bird: extending('Animal', { wings: int64, nest: object({ eggs: listOf(int64) }) }),
  Eagle: extending('Bird', { prey: listOf(ref('Animal')) }),
};
const mapped = (mapping: object) => ({ ...zoo, Animal: baseOf({ mapping }) });

const FISH = '{"type":"Fish","id":1,"fins":9007199254740993}';
const fishAs = (tag: string) => FISH.replace('Fish', tag);
const EAGLE = `{"type":"Eagle","wings":2,"prey":[${FISH}]}`;

/** The same JSON with a member in each value of a base that no schema declares. */
const withUndeclared = (json: string): string => json.replaceAll(/\{(?="type"|"made")/g, '{"secret":7,');

/** A value of JSON, large integers as texts. */
const read = (json: string): unknown => JSON.parse(json.replaceAll(/\d{16,}/g, '"$&"'));

/** Serves an operation that takes and gives values of a schema. `echo` sends a received value back. */
const echoing = async (schema: unknown, schemas: object) => {
  const { receive, reply } = await serveOperation(
    { requestBody: { content: json(schema).content }, responses: { 200: json(schema) } },
    { document: { components: { schemas } } },
  );
  const echo = async (sent: string) => {
    const { body } = await receive('/things', {
      headers: { 'content-type': 'application/json' },
      body: sent,
    });
    return { received: body, replied: await (await reply({ status: 200, body })).text() };
  };
  return { echo };
};

const holder = (schema: object) => object({ held: schema });
const inHolder = `{"held":${FISH}}`;

describe('a value of a subtype is whole both ways', () => {
  test.each<[how: string, schema: object, schemas: object, sent: string]>([
    ['named by its schema', ref('Animal'), zoo, FISH],
    ['mapped by name', ref('Animal'), mapped({ fish: 'Fish' }), fishAs('fish')],
    ['mapped by reference', ref('Animal'), mapped({ fish: refTo('Fish') }), fishAs('fish')],
    ['named by its schema beside a mapping', ref('Animal'), mapped({ bird: 'Bird' }), FISH],
    [
      'named by its schema where the mapping does not resolve',
      ref('Animal'),
      mapped({ Fish: '#/nowhere', a: 'None' }),
      FISH,
    ],
    [
      'mapped, though it does not extend the base',
      ref('Animal'),
      { Animal: baseOf({ mapping: { car: refTo('Car') } }), Car: object({ wheels: int64 }) },
      '{"type":"car","id":1,"wheels":9007199254740993}',
    ],
    [
      'named by its own constant',
      ref('Animal'),
      { ...zoo, Fish: extending('Animal', { type: { const: 'fish' }, fins: int64 }) },
      fishAs('fish'),
    ],
    [
      'of a base that lists the names',
      ref('Animal'),
      { ...zoo, Animal: object({ type: { enum: ['Fish', 'Bird'] }, id: int64 }, { discriminator }) },
      FISH,
    ],
    ['in a list', listOf(ref('Animal')), zoo, `[${FISH},${EAGLE},${FISH}]`],
    ['in a list of lists', listOf(listOf(ref('Animal'))), zoo, `[[${FISH}],[],[${EAGLE},${FISH}]]`],
    ['in a map', { additionalProperties: ref('Animal') }, zoo, `{"a":${FISH},"b":${EAGLE}}`],
    ['in a map by pattern', { patternProperties: { '^a': ref('Animal') } }, zoo, `{"a":${FISH}}`],
    ['in a tuple', { prefixItems: [ref('Animal')], items: ref('Animal') }, zoo, `[${FISH},${EAGLE}]`],
    ['in a member', holder(ref('Animal')), zoo, inHolder],
    ['in a member with a description', holder({ ...ref('Animal'), description: 'A.' }), zoo, inHolder],
    ['in a member by allOf', holder({ allOf: [ref('Animal')], description: 'A.' }), zoo, inHolder],
    ['in itself', ref('Animal'), zoo, FISH.replace('}', `,"friend":${EAGLE}}`)],
    ['through an alias', ref('Alias'), { ...zoo, Alias: ref('Animal') }, FISH],
    [
      'with members of a wrapper',
      { allOf: [ref('Animal'), object({ owner: int64 })] },
      zoo,
      FISH.replace('}', ',"owner":9007199254740993}'),
    ],
    [
      'with members of a named wrapper',
      ref('Owned'),
      { ...zoo, Owned: extending('Animal', { owner: int64 }) },
      FISH.replace('}', ',"owner":9007199254740993}'),
    ],
    [
      'with members beside the reference',
      { ...ref('Animal'), properties: { owner: int64 } },
      zoo,
      FISH.replace('}', ',"owner":9007199254740993}'),
    ],
    ['over three levels', ref('Animal'), zoo, EAGLE],
    ['over three levels, from the middle', ref('Bird'), zoo, EAGLE],
    [
      'over three levels, each with its mapping',
      ref('Animal'),
      {
        ...mapped({ bird: 'Bird' }),
        Bird: { ...baseOf({ mapping: { eagle: 'Eagle' } }), ...extending('Animal', { wings: int64 }) },
      },
      EAGLE.replace('Eagle', 'eagle'),
    ],
    [
      'over three levels, by two members',
      ref('Animal'),
      {
        ...zoo,
        Bird: {
          ...extending('Animal', { wings: int64, kind: text }),
          discriminator: { propertyName: 'kind' },
        },
      },
      EAGLE.replace('"Eagle"', '"Bird","kind":"Eagle"'),
    ],
    [
      'that refers to its base beside other members',
      ref('Animal'),
      { ...mapped({ fish: 'Fish' }), Fish: { ...ref('Animal'), properties: { fins: int64 } } },
      fishAs('fish'),
    ],
    ['that may be null', { anyOf: [ref('Animal'), { type: 'null' }] }, zoo, FISH],
    ...['oneOf', 'anyOf'].map((union): [string, object, object, string] => [
      `in a union of two bases, by ${union}`,
      { [union]: [ref('Animal'), ref('Machine')] },
      {
        ...zoo,
        Machine: object({ made: text }, { required: ['made'], discriminator: { propertyName: 'made' } }),
        Car: extending('Machine', { wheels: int64, driver: ref('Animal') }),
      },
      `{"made":"Car","wheels":9007199254740993,"driver":${FISH}}`,
    ]),
    ...['oneOf', 'anyOf'].map((union): [string, object, object, string] => [
      `of a base that a union with a discriminator lists, by ${union}`,
      { [union]: [ref('Animal'), ref('Machine')], discriminator },
      { ...zoo, Machine: baseOf(), Car: extending('Machine', { wheels: int64 }) },
      `{"type":"Car","wheels":9007199254740993}`,
    ]),
    [
      'of a base with a union of required members',
      ref('Animal'),
      { ...zoo, Animal: { ...baseOf(), anyOf: [{ required: ['id'] }, { required: ['type'] }] } },
      FISH,
    ],
  ])('%s', async (_how, schema, schemas, sent) => {
    const { echo } = await echoing(schema, schemas);
    const echoed = await echo(sent);
    expect(read(echoed.replied)).toEqual(read(sent));
    expect(await echo(withUndeclared(sent))).toEqual(echoed);
  });
});

describe('a value of a base', () => {
  const sentTo = async (schema: object, schemas: object, sent: string) => {
    const { received, replied } = await (await echoing(schema, schemas)).echo(sent);
    return { received, replied: read(replied) };
  };

  test.each<[what: string, body: string, message: string]>([
    ['lacks a member', '{"type":"Fish"}', 'body.fins is required'],
    ['has a member of another type', '{"type":"Fish","fins":"two"}', 'body.fins must be an int64'],
    ['has an int64 out of range', '{"type":"Fish","fins":9223372036854775808}', 'body.fins must be an int64'],
    [
      'has several faults, also in another value',
      `{"type":"Fish","id":"x","fins":"two","friend":{"type":"Bird","wings":"w"}}`,
      'body.fins must be an int64; body.friend.wings must be an int64; body.id must be an int64',
    ],
  ])('is refused if it names a subtype, and %s', async (_what, body, message) => {
    const refused: unknown = await sentTo(ref('Animal'), zoo, body).catch((error: unknown) => error);
    expect(Object(refused).message.split('; ').sort().join('; ')).toBe(message);
  });

  test.each([
    ['an unknown subtype', '{"type":"Dragon","id":1,"fins":"two"}'],
    ['the base itself', '{"type":"Animal","id":1,"fins":"two"}'],
  ])('has the members of the base alone if it names %s', async (_what, body) => {
    const { received } = await sentTo(ref('Animal'), zoo, body);
    expect(received).toEqual({ type: JSON.parse(body).type, id: 1n });
  });

  test('keeps all members where the base describes none', async () => {
    const open = { Animal: { type: 'object', discriminator }, Fish: extending('Animal', { fins: int64 }) };
    const { received } = await sentTo(ref('Animal'), open, FISH.replace('}', ',"more":{"a":1}}'));
    expect(received).toEqual({ type: 'Fish', id: 1, fins: 9007199254740993n, more: { a: 1 } });
  });

  test('gets the defaults of the subtype, and has none of its members that are readOnly or writeOnly', async () => {
    const fins = {
      fins: { ...int64, default: 2 },
      seen: { ...text, readOnly: true },
      pin: { ...text, writeOnly: true },
    };
    const schemas = { ...zoo, Fish: extending('Animal', fins) };
    const sent = '{"type":"Fish","seen":"s","pin":"p"}';
    const { received, replied } = await sentTo(ref('Animal'), schemas, sent);
    expect(received).toEqual({ type: 'Fish', fins: 2n, pin: 'p' });
    expect(replied).toEqual({ type: 'Fish', fins: 2 });
  });

  test('has no unevaluated members if they are of the subtype', async () => {
    const closed = { allOf: [ref('Animal')], unevaluatedProperties: false };
    expect((await sentTo(closed, zoo, FISH)).received).toBeDefined();
    await expect(sentTo(closed, zoo, FISH.replace('fins', 'wings'))).rejects.toThrow(
      'body.fins is required; body.wings is not allowed',
    );
  });

  test('is held by another one, and so on, in linear time', async () => {
    const deep = '{"type":"Fish","fins":1,"friend":'.repeat(100) + FISH + '}'.repeat(100);
    const started = performance.now();
    expect((await sentTo(ref('Fish'), zoo, deep)).replied).toEqual(read(deep));
    await expect(sentTo(ref('Fish'), zoo, deep.replace('"id":1', '"id":"x"'))).rejects.toThrow('body.friend');
    expect(performance.now() - started).toBeLessThan(3000);
  });
});

/** The JSON that a handler's reply becomes, unchecked. */
const writtenAs = async (schemas: object, declared: string, made: { status: number; body: unknown }) => {
  const responses = { [made.status]: json(ref(declared)) };
  const options = { checkReplies: false, document: { components: { schemas } } };
  return (await (await serveOperation({ responses }, options)).reply(made)).text();
};

test('a reply that names no subtype may have the members of all of them', async () => {
  const body = { type: 'Shark', fins: 3n, wings: 2n, secret: 7 };
  expect(await writtenAs(zoo, 'Animal', { status: 200, body })).toBe('{"type":"Shark","fins":3,"wings":2}');
  const named = { ...body, type: 'Animal' };
  expect(await writtenAs(zoo, 'Animal', { status: 200, body: named })).toBe('{"type":"Animal"}');
});

test('a reply has the members of all subtypes if the base lists names that name none', async () => {
  const type = { enum: ['gold_fish', 'other'] };
  const schemas = {
    Animal: object({ type }, { discriminator }),
    GoldFish: extending('Animal', { fins: int64 }),
  };
  const body = { type: 'gold_fish', fins: 9007199254740993n, secret: 7 };
  expect(await writtenAs(schemas, 'Animal', { status: 200, body })).toBe(
    '{"type":"gold_fish","fins":9007199254740993}',
  );
});

test('an error of a subtype is whole', async () => {
  const schemas = {
    Fault: object({ kind: text, error: int64 }, { discriminator: { propertyName: 'kind' } }),
    LimitFault: extending('Fault', { limit: int64 }),
  };
  const body = { kind: 'LimitFault', error: 42901n, limit: 9007199254740993n, secret: 7 };
  expect(await writtenAs(schemas, 'Fault', { status: 429, body })).toBe(
    '{"kind":"LimitFault","error":42901,"limit":9007199254740993}',
  );
});
