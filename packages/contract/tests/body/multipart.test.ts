import { int64 } from '../support/documents.ts';
import { receiverFor } from '../support/operation.ts';
import { inParts, type Part } from '../support/parts.ts';

const binary = { type: 'string', format: 'binary' };
const FORM = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string' },
    size: int64,
    tags: { type: 'array', items: { type: 'string' } },
    file: { ...binary, maxLength: 4 },
    picture: { type: 'string', contentMediaType: 'image/png' },
    files: { type: 'array', items: binary, maxItems: 2 },
    about: { type: 'object', required: ['id'], properties: { id: int64 } },
    open: {},
    point: { type: 'object', properties: { x: int64, picture: binary, about: { type: 'object' } } },
    points: { type: 'array', items: { type: 'object', properties: { x: int64, ok: { type: 'boolean' } } } },
    lists: { type: 'array', items: { type: 'array', items: int64 } },
    metadata: { type: 'object', additionalProperties: { type: 'string' } },
    chunking: {
      oneOf: [
        { type: 'object', required: ['type'], properties: { type: { const: 'auto' } } },
        {
          type: 'object',
          required: ['type', 'static'],
          properties: { type: { const: 'static' }, static: { type: 'object', properties: { size: int64 } } },
        },
      ],
    },
  },
};
const NAME = { name: 'name', is: 'a' };
const BYTES = Buffer.of(0, 255, 0xef, 0xbb, 0xbf);
const file = (name: string, is: string | Buffer): Part => ({
  name,
  is,
  filename: 'f.bin',
  type: 'application/octet-stream',
});

const receive = async (...parts: Part[]) => {
  const received = await receiverFor({ 'multipart/form-data': { schema: FORM } });
  return received(...inParts(...parts));
};

test('a form in parts is typed by its schema', async () => {
  const big = { name: 'size', is: '9007199254740993' };
  expect(await receive(NAME, big, { name: 'tags', is: 'é' }, { name: 'other', is: '1' })).toEqual({
    name: 'a',
    size: 9007199254740993n,
    tags: ['é'],
  });
});

test('a text keeps its byte order mark', async () => {
  expect(await receive({ name: 'name', is: '\ufeffa' })).toEqual({ name: '\ufeffa' });
});

test.each([
  ['declared as binary', [file('file', BYTES.subarray(1))], { file: BYTES.subarray(1) }],
  [
    'declared as binary, without a filename',
    [{ name: 'file', is: Buffer.of(0xff) }],
    { file: Buffer.of(255) },
  ],
  ['declared by a media type', [file('picture', BYTES)], { picture: BYTES }],
  [
    'of which there may be several',
    [file('files', 'a'), file('files', 'b')],
    { files: [Buffer.from('a'), Buffer.from('b')] },
  ],
  ['of which there may be several, but only one', [file('files', 'a')], { files: [Buffer.from('a')] }],
  ['of which the schema says nothing', [file('open', BYTES)], { open: BYTES }],
])('a file is bytes: one %s', async (_which, parts, expected) => {
  expect(await receive(NAME, ...parts)).toEqual({ name: 'a', ...expected });
});

test.each([
  ['with its media type', { type: 'application/json' }],
  ['without one', {}],
  ['as a file, which is how a browser sends a Blob', { type: 'application/json', filename: 'blob' }],
])('a member that is an object is JSON, %s', async (_how, more) => {
  const about = { name: 'about', is: '{"id":9007199254740993}', ...more };
  expect(await receive(NAME, about)).toEqual({ name: 'a', about: { id: 9007199254740993n } });
  await expect(receive(NAME, { ...about, is: '{}' })).rejects.toThrow('body.about.id is required');
  await expect(receive(NAME, { ...about, is: '{' })).rejects.toThrow('body.about is not valid JSON');
});

test.each<[what: string, parts: Part[], message: string]>([
  ['a file where a number is due', [NAME, file('size', '1')], 'body.size must be an int64'],
  ['a number in brackets', [NAME, { name: 'point[x]', is: 'a' }], 'body.point.x must be an int64'],
  [
    'a member in one piece and in parts',
    [NAME, { name: 'point', is: '{}' }, { name: 'point[x]', is: '1' }],
    'body.point is sent as point and as point[x]; send one of them',
  ],
  ['a list with a gap', [NAME, file('files[1]', 'a')], 'body.files must be numbered [0], [1] and so on'],
  [
    'a list in JSON',
    [NAME, { name: 'points', is: '[{"x":1},{"x":"a"}]' }],
    'body.points[1].x must be an int64',
  ],
  ['a text in brackets', [{ name: 'name[0]', is: 'a' }], 'body.name is required'],
  ['two files where one is due', [NAME, file('file', 'a'), file('file', 'b')], 'body.file must be a string'],
  ['two texts where one is due', [NAME, NAME], 'body.name must be a string'],
  ['a file of too many bytes', [NAME, file('file', BYTES)], 'body.file must not have more than 4 characters'],
  [
    'too many files',
    [NAME, ...['a', 'b', 'c'].map((is) => file('files', is))],
    'body.files must not have more than 2 items',
  ],
  [
    'a text that is not UTF-8',
    [{ name: 'name', is: Buffer.of(0x61, 0xff, 0x62) }],
    'body.name is not valid UTF-8',
  ],
  ['a name with U+0000', [NAME, { name: 'a\0', is: 'a' }], 'a name in body must not hold U+0000'],
  ['a text with U+0000', [{ name: 'name', is: 'a\0b' }], 'body.name must not hold U+0000'],
  ['a number with U+0000', [NAME, { name: 'size', is: '1\0' }], 'body.size must not hold U+0000'],
  ['an item with U+0000', [NAME, NAME, { name: 'tags', is: '\0' }], 'body.tags[0] must not hold U+0000'],
  [
    'JSON with U+0000',
    [NAME, { name: 'about', is: '{"id":1,"a":"\\u0000"}' }],
    'body.about.a must not hold U+0000',
  ],
])('%s is refused', async (_what, parts, message) => {
  await expect(receive(...parts)).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining(message),
  });
});

test('a form that is cut short is refused', async () => {
  const received = await receiverFor({ 'multipart/form-data': { schema: FORM } });
  const [type, bytes] = inParts(NAME, file('file', 'a'));
  await expect(received(type, bytes.subarray(0, -20))).rejects.toThrow(
    'body is not valid multipart/form-data',
  );
});

test.each(['multipart/*', '*/*'])('%s takes a form with a file', async (range) => {
  const received = await receiverFor({ [range]: { schema: FORM } });
  expect(await received(...inParts(NAME, file('file', 'a')))).toEqual({ name: 'a', file: Buffer.from('a') });
});

test('the branch of a union is found with a file in it', async () => {
  const branch = (kind: string, more: object) => ({
    type: 'object',
    required: ['kind', 'file'],
    properties: { kind: { const: kind }, file: binary, ...more },
  });
  const schema = { oneOf: [branch('a', { n: int64 }), branch('b', { size: { default: 5 } })] };
  const received = await receiverFor({ 'multipart/form-data': { schema } });
  expect(
    await received(...inParts({ name: 'kind', is: 'a' }, { name: 'n', is: '1' }, file('file', 'a'))),
  ).toEqual({
    kind: 'a',
    n: 1n,
    file: Buffer.from('a'),
  });
  expect(await received(...inParts({ name: 'kind', is: 'b' }, file('file', 'a')))).toEqual({
    kind: 'b',
    size: 5,
    file: Buffer.from('a'),
  });
});

test('a file that only replies have is dropped', async () => {
  const schema = { type: 'object', properties: { ...FORM.properties, file: { ...binary, readOnly: true } } };
  const received = await receiverFor({ 'multipart/form-data': { schema } });
  expect(await received(...inParts(NAME, file('file', 'a')))).toEqual({ name: 'a' });
});

const MIXED = {
  type: 'object',
  properties: {
    chunking: {
      anyOf: [
        { type: 'string', enum: ['auto'] },
        { type: 'object', required: ['size'], properties: { size: int64 }, additionalProperties: false },
        { type: 'null' },
      ],
    },
    note: {
      oneOf: [{ type: 'string' }, { type: 'object', required: ['size'], properties: { size: int64 } }],
    },
    count: { type: ['object', 'integer'] },
    several: {
      anyOf: [
        { type: 'string', enum: ['all'] },
        { type: 'array', items: { type: 'integer' } },
      ],
    },
  },
};

test.each<[part: Part, value: object]>([
  [{ name: 'chunking', is: 'auto' }, { chunking: 'auto' }],
  [{ name: 'chunking', is: ' {"size":9007199254740993}' }, { chunking: { size: 9007199254740993n } }],
  [{ name: 'chunking', is: 'null' }, { chunking: null }],
  [
    { name: 'chunking', is: '{"size":1}', type: 'application/json', filename: 'blob' },
    { chunking: { size: 1n } },
  ],
  [{ name: 'note', is: '{not JSON}' }, { note: '{not JSON}' }],
  [{ name: 'note', is: '{"other":1}' }, { note: '{"other":1}' }],
  [{ name: 'note', is: '"quoted"' }, { note: '"quoted"' }],
  [{ name: 'note', is: '7' }, { note: '7' }],
  [{ name: 'count', is: '7' }, { count: 7 }],
  [{ name: 'several', is: 'all' }, { several: 'all' }],
  [{ name: 'several', is: '7' }, { several: [7] }],
])('a part that may be a text or an object is read as its schema accepts it: %j', async (part, value) => {
  const received = await receiverFor({ 'multipart/form-data': { schema: MIXED } });
  expect(await received(...inParts(part))).toEqual(value);
});

test.each<[part: Part, message: string]>([
  [{ name: 'chunking', is: 'manual' }, 'body.chunking must be'],
  [{ name: 'chunking', is: '{"size":"x"}' }, 'body.chunking.size must be an int64'],
  [{ name: 'chunking', is: 'auto', filename: 'a.txt' }, 'body.chunking is not valid JSON'],
])('a part that no reading makes valid is refused: %j', async (part, message) => {
  const received = await receiverFor({ 'multipart/form-data': { schema: MIXED } });
  await expect(received(...inParts(part))).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining(message),
  });
});

const text = (name: string, is: string): Part => ({ name, is });

test.each<[parts: Part[], value: object]>([
  [
    [text('point[x]', '9007199254740993'), file('point[picture]', BYTES), text('point[about]', '{"a":1}')],
    { point: { x: 9007199254740993n, picture: BYTES, about: { a: 1 } } },
  ],
  [[text('metadata[a]', '1'), text('metadata[b c]', 'true')], { metadata: { a: '1', 'b c': 'true' } }],
  [[text('chunking[type]', 'auto')], { chunking: { type: 'auto' } }],
  [
    [text('chunking[type]', 'static'), text('chunking[static][size]', '5')],
    { chunking: { type: 'static', static: { size: 5n } } },
  ],
  [[file('files[0]', 'a'), file('files[1]', BYTES)], { files: [Buffer.from('a'), BYTES] }],
  [[{ name: 'files[0]', is: 'a' }], { files: [Buffer.from('a')] }],
  [[text('tags[1]', 'b'), text('tags[0]', 'a')], { tags: ['a', 'b'] }],
  [
    [text('points[0][x]', '1'), text('points[0][ok]', 'true'), text('points[1][x]', '2')],
    { points: [{ x: 1n, ok: true }, { x: 2n }] },
  ],
  [[text('points[][x]', '1'), text('points[][x]', '2')], { points: [{ x: 1n }, { x: 2n }] }],
  [[text('open[a]', '1'), text('other[b]', '2')], {}],
])('names with brackets are read as in urlencoded forms: %j', async (parts, value) => {
  expect(await receive(NAME, ...parts)).toEqual({ name: 'a', ...value });
});

test.each<[parts: Part[], value: object]>([
  [[text('points', '[{"x":9007199254740993},{}]')], { points: [{ x: 9007199254740993n }, {}] }],
  [
    [{ name: 'points', is: '[{"x":1}]', filename: 'blob', type: 'application/json' }],
    { points: [{ x: 1n }] },
  ],
  [[text('points', '{"x":1}'), text('points', '{"x":2}')], { points: [{ x: 1n }, { x: 2n }] }],
  [[text('points', '[]')], { points: [] }],
  [[text('lists', '[[1],[2,3]]')], { lists: [[1n], [2n, 3n]] }],
  [[text('lists', '[1]'), text('lists', '[2,3]')], { lists: [[1n], [2n, 3n]] }],
  [[text('tags', '["a"]')], { tags: ['["a"]'] }],
])('a list of objects or lists may be one part of JSON: %j', async (parts, value) => {
  expect(await receive(NAME, ...parts)).toEqual({ name: 'a', ...value });
});

test('a list is parsed as JSON if its encoding declares JSON', async () => {
  const tags = { contentType: 'application/json' };
  const received = await receiverFor({ 'multipart/form-data': { schema: FORM, encoding: { tags } } });
  expect(await received(...inParts(NAME, text('tags', '["a","b"]')))).toEqual({
    name: 'a',
    tags: ['a', 'b'],
  });
  expect(await received(...inParts(NAME, text('tags', 'a')))).toEqual({ name: 'a', tags: ['a'] });
});

test.each<[is: string | Buffer, value: unknown]>([
  ['é', 'é'],
  ['', ''],
  [BYTES, BYTES],
  ['a\0', Buffer.from('a\0')],
])(
  'a file for a member that is declared as a text is a text if it can be one, else bytes: %j',
  async (is, value) => {
    expect(await receive(file('name', is), file('tags', is))).toEqual({ name: value, tags: [value] });
  },
);

test('a list may be sent under its name with empty brackets, files included', async () => {
  expect(
    await receive(
      NAME,
      file('files[]', 'a'),
      file('files[]', 'b'),
      { name: 'tags[]', is: 'x' },
      { name: 'other[]', is: '1' },
      { name: 'open[a]', is: '2' },
    ),
  ).toEqual({
    name: 'a',
    files: [Buffer.from('a'), Buffer.from('b')],
    tags: ['x'],
  });
});
