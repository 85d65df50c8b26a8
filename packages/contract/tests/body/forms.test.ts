import { int64, object, ref, text } from '../support/documents.ts';
import { receiverFor, serveOperation } from '../support/operation.ts';
import { FORM, inParts } from '../support/parts.ts';

const TYPE = 'application/x-www-form-urlencoded';
const list = { type: 'array', items: { type: 'integer' } };
const kind = (name: string, v: object) =>
  object({ kind: { const: name }, v }, { required: ['kind'], additionalProperties: false });
/** Branches that declare a member of the same name. */
const KINDS = { oneOf: [kind('a', int64), kind('b', text), kind('c', { type: 'array', items: int64 })] };
const partOf = (pair: string) => ({ name: pair.split('=')[0] ?? '', is: pair.split('=')[1] ?? '' });
const point = { type: 'object', required: ['x'], properties: { x: { type: 'integer' }, y: int64 } };

test('a form is typed by its schema', async () => {
  const receive = await receiverFor({ [TYPE]: { schema: FORM } });
  expect(await receive(TYPE, 'name=a+b%26c&size=9007199254740993&tags=x&tags=y&ok=true&other=1')).toEqual({
    name: 'a b&c',
    size: 9007199254740993n,
    tags: ['x', 'y'],
    ok: true,
  });
  await expect(receive(TYPE, 'size=x')).rejects.toThrow('body.name is required; body.size must be an int64');
  await expect(receive(TYPE, 'name=a&name=b')).rejects.toThrow('body.name must be a string');
  await expect(receive(TYPE, 'name=%')).rejects.toThrow('body is not a valid form');
});

test('an open schema keeps the fields that it does not name', async () => {
  const receive = await receiverFor({ [TYPE]: { schema: { ...FORM, additionalProperties: true } } });
  expect(await receive(TYPE, 'name=a&other=1&other=2')).toEqual({ name: 'a', other: ['1', '2'] });
});

test.each<[style: string, schema: object, encoding: object | undefined, sent: string, value: unknown]>([
  ['a list', list, undefined, 'q=1&q=2', [1, 2]],
  ['a list with commas', list, { explode: false }, 'q=1,2', [1, 2]],
  ['a list with spaces', list, { style: 'spaceDelimited', explode: false }, 'q=1+2%203', [1, 2, 3]],
  ['a list with pipes', list, { style: 'pipeDelimited', explode: false }, 'q=1|2%7C3', [1, 2, 3]],
  [
    'an object in members of the form',
    point,
    undefined,
    'x=1&y=9007199254740993',
    { x: 1, y: 9007199254740993n },
  ],
  ['an object with commas', point, { explode: false }, 'q=x,1,y,2', { x: 1, y: 2n }],
  ['a deep object', point, { style: 'deepObject', explode: true }, 'q[x]=1&q%5By%5D=2', { x: 1, y: 2n }],
  [
    'JSON',
    point,
    { contentType: 'application/json' },
    'q=%7B%22x%22:1,%22y%22:9007199254740993%7D',
    { x: 1, y: 9007199254740993n },
  ],
])('%s is read by its encoding', async (_style, q, encoding, sent, value) => {
  const schema = { type: 'object', required: ['q'], properties: { q }, additionalProperties: false };
  const receive = await receiverFor({ [TYPE]: { schema, ...(encoding && { encoding: { q: encoding } }) } });
  expect(await receive(TYPE, sent)).toEqual({ q: value });
  await expect(receive(TYPE, `${sent}&z=1`)).rejects.toThrow('body.z is not allowed');
});

test('a member of a form, urlencoded or multipart, gets the type that the schema accepts', async () => {
  const upToTen = { anyOf: [{ type: 'integer', maximum: 10 }, { type: 'string' }] };
  const q = { anyOf: [upToTen, { type: 'array', minItems: 2 }] };
  const schema = { type: 'object', properties: { p: upToTen, q } };
  const receive = await receiverFor({ [TYPE]: { schema }, 'multipart/form-data': { schema } });
  expect(await receive(TYPE, 'p=5&q=5')).toEqual({ p: 5, q: 5 });
  expect(await receive(TYPE, 'p=50&q=50')).toEqual({ p: '50', q: '50' });
  expect(await receive(TYPE, 'q=a&q=b')).toEqual({ q: ['a', 'b'] });
  expect(await receive(...inParts({ name: 'p', is: '50' }))).toEqual({ p: '50' });
});

test.each<[what: string, schema: object, sent: readonly string[], value: unknown]>([
  ['a union, by the branch that accepts it', KINDS, ['kind=b', 'v=5'], { kind: 'b', v: '5' }],
  ['a union, with a list in one branch', KINDS, ['kind=c', 'v=5', 'v=6'], { kind: 'c', v: [5n, 6n] }],
  ['a base, with members of its subtype', ref('Animal'), ['type=Fish', 'fins=5'], { type: 'Fish', fins: 5n }],
  [
    'bases in a list, with members of their subtypes',
    object({ all: { type: 'array', items: ref('Animal') } }),
    ['all[0][type]=Fish', 'all[0][fins]=9007199254740993', 'all[1][type]=Bird', 'all[1][fins]=x'],
    {
      all: [
        { type: 'Fish', fins: 9007199254740993n },
        { type: 'Bird', fins: 'x' },
      ],
    },
  ],
])('a form, and an object in a query, is read as %s', async (_what, schema, sent, value) => {
  const schemas = {
    Animal: object({ type: text }, { required: ['type'], discriminator: { propertyName: 'type' } }),
    Fish: { allOf: [ref('Animal'), object({ fins: int64 })] },
    Bird: { allOf: [ref('Animal'), object({ fins: text })] },
  };
  const { receive } = await serveOperation(
    {
      parameters: [{ name: 'q', in: 'query', style: 'deepObject', schema }],
      requestBody: { content: { [TYPE]: { schema }, 'multipart/form-data': { schema } } },
    },
    { document: { components: { schemas } } },
  );
  const form = { headers: { 'content-type': TYPE }, body: sent.join('&') };
  const [type, bytes] = inParts(...sent.map(partOf));
  expect((await receive('/things', form)).body).toEqual(value);
  expect((await receive('/things', { headers: { 'content-type': type }, body: bytes })).body).toEqual(value);
  const deep = sent.map((each) => each.replace(/^\w+/, 'q[$&]')).join('&');
  expect((await receive(`/things?${deep}`)).query).toEqual({ q: value });
});

test('a member of the form is not taken for a member of an object in it', async () => {
  const owner = { type: 'object', properties: { name: { type: 'string' }, age: { type: 'integer' } } };
  const schema = { ...FORM, properties: { ...FORM.properties, owner } };
  const receive = await receiverFor({ [TYPE]: { schema } });
  expect(await receive(TYPE, 'name=a')).toEqual({ name: 'a' });
  expect(await receive(TYPE, 'name=a&age=5')).toEqual({ name: 'a', owner: { age: 5 } });
});

test('JSON in a form is refused if it is invalid, or holds text that no store can keep', async () => {
  const schema = { type: 'object', properties: { q: {} } };
  const receive = await receiverFor({
    [TYPE]: { schema, encoding: { q: { contentType: 'application/json' } } },
  });
  await expect(receive(TYPE, 'q={')).rejects.toThrow('body.q is not valid JSON');
  await expect(receive(TYPE, 'q=["\\u0000"]')).rejects.toThrow('body.q[0] must not hold U+0000');
});
