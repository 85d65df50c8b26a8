import { int64, ref } from '../support/documents.ts';
import { decoderFor } from '../support/operation.ts';

const kind = { type: 'string' };
const schemas = {
  Cat: {
    type: 'object',
    required: ['kind', 'lives'],
    properties: { kind, lives: { type: 'integer' }, n: int64 },
  },
  Dog: { type: 'object', required: ['kind', 'tricks'], properties: { kind, tricks: { type: 'array' } } },
  Bird: { type: 'object', properties: { kind: { enum: ['owl', 'wren'] }, wings: int64 } },
};
const discriminator = { propertyName: 'kind' };

describe.each(['oneOf', 'anyOf'])('a discriminator beside %s', (union) => {
  test('names the branch by the name of its schema', async () => {
    const decode = await decoderFor({ [union]: [ref('Cat'), ref('Dog')], discriminator }, schemas);
    expect(await decode('{"kind":"Cat","lives":9}')).toEqual({ kind: 'Cat', lives: 9 });
    expect(await decode('{"kind":"Dog","tricks":[]}')).toEqual({ kind: 'Dog', tricks: [] });
  });

  test.each(['#/components/schemas/Cat', 'Cat'])('names it as the mapping does, to %s', async (to) => {
    const mapping = { puss: to, 'tom cat': to };
    const decode = await decoderFor(
      { [union]: [ref('Cat'), ref('Dog')], discriminator: { ...discriminator, mapping } },
      schemas,
    );
    expect(await decode('{"kind":"puss","lives":9}')).toBeDefined();
    expect(await decode('{"kind":"tom cat","lives":9}')).toBeDefined();
    expect(await decode('{"kind":"Dog","tricks":[]}')).toBeDefined();
    await expect(decode('{"kind":"Cat","lives":9}')).rejects.toThrow(
      new Error('body.kind must be one of ["puss","tom cat","Dog"]'),
    );
  });

  test('names it by its own constants', async () => {
    const fish = { properties: { kind: { const: 'fish' }, fins: int64 } };
    const decode = await decoderFor({ [union]: [ref('Bird'), fish], discriminator }, schemas);
    expect(await decode('{"kind":"owl","wings":2}')).toEqual({ kind: 'owl', wings: 2n });
    expect(await decode('{"kind":"fish","fins":3,"wings":2}')).toEqual({ kind: 'fish', fins: 3n });
    await expect(decode('{"kind":"cod"}')).rejects.toThrow('body.kind must be one of ["owl","wren","fish"]');
  });

  test('reports only the violations of that branch', async () => {
    const decode = await decoderFor({ [union]: [ref('Cat'), ref('Dog')], discriminator }, schemas);
    await expect(decode('{"kind":"Cat","lives":"x","tricks":1}')).rejects.toThrow(
      new Error('body.lives must be an integer'),
    );
    await expect(decode('{"kind":"Dog"}')).rejects.toThrow(new Error('body.tricks is required'));
  });

  test('reports the known values if the value is unknown, and a missing value as required', async () => {
    const decode = await decoderFor({ [union]: [ref('Cat'), ref('Dog')], discriminator }, schemas);
    await expect(decode('{"kind":"cow"}')).rejects.toThrow(
      new Error('body.kind must be one of ["Cat","Dog"]'),
    );
    await expect(decode('{"lives":9}')).rejects.toThrow(new Error('body.kind is required'));
    await expect(decode('7')).rejects.toThrow(new Error('body must be an object'));
  });

  test('decides where several branches would do', async () => {
    const A = { type: 'object', properties: { kind, v: int64 } };
    const B = { type: 'object', properties: { kind, v: { type: 'number' } } };
    const decode = await decoderFor({ [union]: [ref('A'), ref('B')], discriminator }, { A, B });
    expect(await decode('{"kind":"A","v":1}')).toEqual({ kind: 'A', v: 1n });
    expect(await decode('{"kind":"B","v":1}')).toEqual({ kind: 'B', v: 1 });
  });

  test('leaves null to the branch for it', async () => {
    const decode = await decoderFor(
      { [union]: [ref('Cat'), ref('Dog'), { type: 'null' }], discriminator },
      schemas,
    );
    expect(await decode('null')).toEqual(null);
    expect(await decode('{"kind":"Cat","lives":9}')).toBeDefined();
    await expect(decode('7')).rejects.toThrow(new Error('body must be null'));
    await expect(decode('{"kind":"cow"}')).rejects.toThrow(
      new Error('body.kind must be one of ["Cat","Dog"]'),
    );
  });

  test('applies to unevaluatedProperties', async () => {
    const decode = await decoderFor(
      { [union]: [ref('Cat'), ref('Dog')], discriminator, unevaluatedProperties: false },
      schemas,
    );
    expect(await decode('{"kind":"Cat","lives":9}')).toBeDefined();
    await expect(decode('{"kind":"Cat","lives":9,"tricks":[]}')).rejects.toThrow(
      new Error('body.tricks is not allowed'),
    );
  });

  test('does not apply if a branch has no name: the union is validated like any other', async () => {
    const nameless = { required: ['x'] };
    const decode = await decoderFor({ [union]: [ref('Cat'), nameless], discriminator }, schemas);
    expect(await decode('{"x":1}')).toEqual({ x: 1 });
    await expect(decode('{}')).rejects.toThrow('body.x is required');
  });
});

test('a union within a union is decided by the constants of both', async () => {
  const decode = await decoderFor(
    { oneOf: [ref('Bird'), ref('Pet')], discriminator },
    {
      ...schemas,
      Pet: { oneOf: [ref('Eel'), ref('Ant')], discriminator },
      Eel: { properties: { kind: { const: 'eel' }, volts: int64 } },
      Ant: { properties: { kind: { const: 'ant' } } },
    },
  );
  expect(await decode('{"kind":"eel","volts":600}')).toEqual({ kind: 'eel', volts: 600n });
  await expect(decode('{"kind":"cow"}')).rejects.toThrow(
    'body.kind must be one of ["owl","wren","eel","ant"]',
  );
});

test('a discriminator beside allOf does not affect validation', async () => {
  const decode = await decoderFor(ref('Child'), {
    Base: { type: 'object', required: ['kind'], properties: { kind }, discriminator },
    Child: { allOf: [ref('Base'), { properties: { n: int64 } }] },
  });
  expect(await decode('{"kind":"whatever","n":1}')).toEqual({ kind: 'whatever', n: 1n });
});

describe('a base whose union lists children that extend it', () => {
  const extending = (base: string, own: object) => ({ allOf: [ref(base), { type: 'object', ...own }] });
  const Animal = {
    type: 'object',
    required: ['kind', 'id'],
    properties: { kind, id: int64 },
    oneOf: [ref('Cat'), ref('Dog')],
    discriminator,
  };
  const Cat = extending('Animal', { required: ['lives'], properties: { lives: int64 } });
  const Dog = extending('Animal', { properties: { tricks: { type: 'array', items: kind } } });

  test.each([
    ['with a discriminator', Animal],
    ['without one', { ...Animal, discriminator: undefined, anyOf: Animal.oneOf, oneOf: undefined }],
  ])('is read as its members, %s', async (_how, base) => {
    const decode = await decoderFor(ref('Animal'), { Animal: base, Cat, Dog });
    expect(await decode('{"kind":"Cat","id":9007199254740993,"lives":9}')).toEqual({
      kind: 'Cat',
      id: 9007199254740993n,
      lives: 9n,
    });
    expect(await decode('{"kind":"Dog","id":1,"tricks":["sit"]}')).toEqual({
      kind: 'Dog',
      id: 1n,
      tricks: ['sit'],
    });
    await expect(decode('{"kind":"Dog","tricks":["sit"]}')).rejects.toThrow('body.id is required');
  });

  test('leaves a child on its own complete', async () => {
    const decode = await decoderFor(ref('Cat'), { Animal, Cat, Dog });
    expect(await decode('{"kind":"Cat","id":1,"lives":9}')).toEqual({ kind: 'Cat', id: 1n, lives: 9n });
    await expect(decode('{"kind":"Cat","lives":9}')).rejects.toThrow(new Error('body.id is required'));
    await expect(decode('{"kind":"Cat","id":1}')).rejects.toThrow(new Error('body.lives is required'));
  });

  test('may be extended over several levels', async () => {
    const mapping = { Lion: ref('Lion').$ref, Dog: ref('Dog').$ref };
    const base = {
      ...Animal,
      oneOf: [ref('Lion'), ref('Dog')],
      discriminator: { ...discriminator, mapping },
    };
    const Lion = extending('Cat', { required: ['mane'], properties: { mane: { type: 'boolean' } } });
    const decode = await decoderFor(ref('Animal'), { Animal: base, Cat, Dog, Lion, AnimalBase: kind });
    expect(await decode('{"kind":"Lion","id":1,"lives":9,"mane":true}')).toBeDefined();
    await expect(decode('{"kind":"Lion","id":1,"mane":true}')).rejects.toThrow(
      new Error('body.lives is required'),
    );
  });

  test('keeps its union where a schema that it does not list extends it', async () => {
    const Owned = extending('Animal', { required: ['owner'], properties: { owner: kind } });
    const decode = await decoderFor(ref('Owned'), { Animal, Cat, Dog, Owned });
    expect(await decode('{"kind":"Dog","id":1,"owner":"Ann"}')).toBeDefined();
    await expect(decode('{"kind":"Cat","id":1,"owner":"Ann"}')).rejects.toThrow('body.lives is required');
  });
});
