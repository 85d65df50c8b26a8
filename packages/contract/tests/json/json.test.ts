import { int64, json, object, text } from '../support/documents.ts';
import { decoderFor, serveOperation } from '../support/operation.ts';

const THING = object({ id: int64, name: text, tag: text }, { required: ['name', 'id'] });
const send = await decoderFor(THING);

const lamp = (id: string, name = 'Lamp') => ({ id: BigInt(id), name });
const mismatch = (message: string) => ({ status: 400, code: 40002, message });
const malformed = (message: unknown) => ({ status: 400, code: 40001, message });

/** A body that takes the plain way through the parser, and one whose id takes the exact way. */
const IDS = ['1', '9223372036854775807'];

test.each([
  ['a byte that starts nothing', [0xff]],
  ['a character cut short', [0xe2, 0x82]],
  ['an overlong writing', [0xc0, 0x80]],
  ['a surrogate', [0xed, 0xa0, 0x80]],
  ['a code point past the last', [0xf4, 0x90, 0x80, 0x80]],
])('%s is no UTF-8', async (_name, bytes) => {
  const body = Buffer.concat([Buffer.from('{"id":1,"name":"'), Buffer.from(bytes), Buffer.from('"}')]);
  await expect(send(body)).rejects.toMatchObject(malformed('body is not valid UTF-8'));
});

test.each([
  ['a lone surrogate in a name', '{"id":1,"name":"a\\ud800"}', 'body.name must not hold a lone surrogate'],
  ['the second half alone', '{"id":1,"name":"\\uDC00"}', 'body.name must not hold a lone surrogate'],
  [
    'halves in the wrong order',
    '{"id":1,"name":"\\udf31\\ud83c"}',
    'body.name must not hold a lone surrogate',
  ],
  ['one in a tag', '{"id":1,"name":"a","tag":"\\ud83c!"}', 'body.tag must not hold a lone surrogate'],
  [
    'one in a member name',
    '{"id":1,"name":"a","\\ud800":1}',
    'a name in body must not hold a lone surrogate',
  ],
  [
    'one deep inside',
    '{"id":1,"name":"a","x":[{"y":"\\ud800"}]}',
    'body.x[0].y must not hold a lone surrogate',
  ],
  ['U+0000 in a name', '{"id":1,"name":"\\u0000"}', 'body.name must not hold U+0000'],
  ['U+0000 in a tag', '{"id":1,"name":"a","tag":"b\\u0000c"}', 'body.tag must not hold U+0000'],
  ['U+0000 in a member name', '{"id":1,"name":"a","\\u0000":1}', 'a name in body must not hold U+0000'],
  ['U+0000 after a backslash', '{"id":1,"name":"\\\\\\u0000"}', 'body.name must not hold U+0000'],
])('%s is refused', async (_name, body, message) => {
  await expect(send(body)).rejects.toMatchObject(mismatch(message));
});

test('all text that cannot be stored is reported at once, before the schema is checked', async () => {
  await expect(send('{"id":"x","tag":"\\u0000","more":["\\ud800"]}')).rejects.toMatchObject(
    mismatch('body.tag must not hold U+0000; body.more[0] must not hold a lone surrogate'),
  );
});

test.each([
  ['an emoji as an escaped pair', '\\ud83c\\udf31', '🌱'],
  ['an unescaped emoji', '🌱', '🌱'],
  ['a literal backslash-u0000', '\\\\u0000', '\\u0000'],
  ['a literal backslash-ud800', '\\\\ud800', '\\ud800'],
  ['every short escape', '\\"\\\\\\/\\b\\f\\n\\r\\t', '"\\/\b\f\n\r\t'],
  ['a letter and its accent apart', 'e\\u0301', 'e\u0301'],
  ['a byte order mark and the last code point', '\\ufeff\u{10ffff}', '\ufeff\u{10ffff}'],
  ['digits beyond a double', '9007199254740993', '9007199254740993'],
  ['what looks like more JSON', '\\",\\"id\\":12345678901234567890', '","id":12345678901234567890'],
])('%s comes back exactly', async (_name, writing, name) => {
  for (const id of IDS) expect(await send(`{"id":${id},"name":"${writing}"}`)).toEqual(lamp(id, name));
  const { reply } = await serveOperation({ responses: { 200: json(text) } });
  expect(await (await reply({ status: 200, body: name })).json()).toBe(name);
});

test.each(['__proto__', 'constructor', 'toString', 'prototype'])(
  'members of a "%s" are not taken for members of the body',
  async (key) => {
    for (const id of IDS) {
      await expect(send(`{"${key}":{"id":${id},"name":"Lamp"}}`)).rejects.toMatchObject(
        mismatch('body.name is required; body.id is required'),
      );
      await expect(send(`{"id":${id},"${key}":{"name":"Lamp"}}`)).rejects.toMatchObject(
        mismatch('body.name is required'),
      );
      await expect(send(`{"name":"Lamp","${key}":{"id":${id}}}`)).rejects.toMatchObject(
        mismatch('body.id is required'),
      );
    }
  },
);

test.each(['__proto__', 'constructor', 'toString'])('an unknown member "%s" is ignored', async (key) => {
  for (const id of IDS)
    expect(await send(`{"id":${id},"name":"Lamp","${key}":{"tag":"x"}}`)).toEqual(lamp(id));
});

test.each([
  ['40,000 arrays', 40_000, '[', ']'],
  ['15,000 objects', 15_000, '{"":', '}'],
])('%s nested in each other do not block the service', async (_name, depth, open, close) => {
  const nested = `${open.repeat(depth)}"\\\\u0000"${close.repeat(depth)}`;
  for (const id of IDS) {
    expect(await send(`{"id":${id},"name":"Lamp","unknown":${nested}}`)).toEqual(lamp(id));
    expect(await send(`{"id":${id},"name":"Lamp"}`)).toEqual(lamp(id));
  }
});

test('where the limit allows it, megabytes of escapes are read alike beside a short id and a long one', async () => {
  const name = 'a\n'.repeat(1_000_000);
  for (const id of IDS)
    expect(await send(`{"id":${id},"name":${JSON.stringify(name)}}`)).toEqual(lamp(id, name));
});

test.each(IDS)('a body that is cut off at any byte is not valid JSON (id %s)', async (id) => {
  const body = `{"id":${id},"name":"Lamp"}`;
  for (let end = 1; end < body.length; end += 1)
    await expect(send(body.slice(0, end))).rejects.toMatchObject(
      malformed(expect.stringMatching(/^body is not valid JSON/)),
    );
});

test.each([
  ['x', /^body is not valid JSON: Unexpected token 'x', "x"$/],
  ['{"id":1,}', /^body is not valid JSON: Expected double-quoted property name in JSON at position 8/],
  ['undefined', /^body is not valid JSON: "undefined"$/],
])('the error in the JSON %s is reported once', async (sent, message) => {
  await expect(send(sent)).rejects.toMatchObject(malformed(expect.stringMatching(message)));
});

test('all violations are reported at once', async () => {
  await expect(send('{"id":"41"}')).rejects.toMatchObject(
    mismatch('body.name is required; body.id must be an int64'),
  );
  await expect(send('{"tag":1}')).rejects.toMatchObject(
    mismatch('body.name is required; body.id is required; body.tag must be a string'),
  );
});

test('a place as long as the body is shortened to its start and its end', async () => {
  const name = 'n'.repeat(90_000);
  const half = `body.${'n'.repeat(95)}`;
  await expect(send(`{"id":1,"name":"Lamp","${name}":"\\u0000"}`)).rejects.toMatchObject(
    mismatch(`${half}…${'n'.repeat(79)} must not hold U+0000`),
  );
});

test.each(['', 'x'])(
  'a character that the cut goes through is not left as half of itself (%j)',
  async (start) => {
    await expect(send(`{"id":1,"name":"Lamp","${start}${'🌱'.repeat(120)}":"\\u0000"}`)).rejects.toThrow(
      /🌱\ufffd?…\ufffd?🌱/u,
    );
  },
);
