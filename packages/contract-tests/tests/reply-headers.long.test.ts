import { valueChecks } from './values-service.ts';

const check = valueChecks();
const takes = (body: string) => typeof JSON.parse(body) === 'boolean';

/** Tests a service against a contract with one header, which it sends with this value or not at all. */
const send = (header: string, sent: string | undefined) =>
  check(
    '{ type: boolean }',
    { takes, headers: sent === undefined ? {} : { 'x-it': sent } },
    {
      replies: `{ X-It: ${header} }`,
    },
  );

const TEXT = '{ required: true, schema: { type: string, maxLength: 3 } }';
const BEYOND = '{ schema: { type: integer, format: int64, minimum: 9007199254740993 } }';
const LIST = '{ schema: { type: array, items: { type: integer }, maxItems: 2 } }';
const MEMBERS =
  '{ explode: true, schema: { type: object, required: [a], properties: { a: { type: integer }, b: { type: string, pattern: "^=b=$" } } } }';
const PAIRS =
  '{ schema: { type: object, properties: { a: { type: integer }, b: { type: boolean } }, additionalProperties: false } }';
const AS_JSON =
  '{ content: { application/json: { schema: { type: object, properties: { a: { const: 9007199254740993 } } } } } }';
const AS_TEXT = '{ content: { text/plain: { schema: { type: string, enum: [a] } } } }';

test.each([
  ['a text', TEXT, 'abc'],
  ['an empty text', TEXT, ''],
  ['nothing where it is optional', BEYOND, undefined],
  ['an integer that no double holds', BEYOND, '9007199254740993'],
  ['a list', LIST, '1, 2'],
  ['an empty list', LIST, ''],
  ['members, one with = in it', MEMBERS, 'a=1,b==b='],
  ['members and values in turn', PAIRS, 'a,1,b,true'],
  ['JSON', AS_JSON, '{"a": 9007199254740993}'],
  ['a text of another media type', AS_TEXT, 'a'],
])('a service that sends %s in a header as declared keeps its contract', async (_what, header, sent) => {
  expect(await send(header, sent)).toMatchObject({ failures: 0 });
});

const AT = 'openapi.yaml:15 #/paths/~1values/post/responses/200/headers/X-It';

test.each([
  ['omits a required header', TEXT, undefined, 'the header X-It is missing', '/required'],
  [
    'sends a text too long',
    TEXT,
    'abcd',
    'the header X-It must NOT have more than 3 characters',
    '/schema/maxLength',
  ],
  ['sends another type', BEYOND, 'a', 'the header X-It must be integer', '/schema/type'],
  [
    'sends the double beside the bound',
    BEYOND,
    '9007199254740992',
    'the header X-It must be >= 9007199254740993',
    '/schema/minimum',
  ],
  [
    'sends a list too long',
    LIST,
    '1,2,3',
    'the header X-It must NOT have more than 2 items',
    '/schema/maxItems',
  ],
  ['sends a wrong item', LIST, '1,b', 'the header X-It/1 must be integer', '/schema/items/type'],
  [
    'leaves out a member',
    MEMBERS,
    'b==b=',
    "the header X-It must have required property 'a'",
    '/schema/required',
  ],
  [
    'sends a member too many',
    PAIRS,
    'a,1,c,2',
    'the header X-It must NOT have additional properties: "c"',
    '/schema/additionalProperties',
  ],
  ['sends no JSON', AS_JSON, '{a}', 'the header X-It is not JSON', ''],
  [
    'sends other JSON',
    AS_JSON,
    '{"a":9007199254740992}',
    'the header X-It/a must be equal to constant: 9007199254740993',
    '/content/application~1json/schema/properties/a/const',
  ],
  [
    'sends another text',
    AS_TEXT,
    'b',
    'the header X-It must be equal to one of the allowed values: ["a"]',
    '/content/text~1plain/schema/enum',
  ],
])('a service that %s in a header is caught', async (_what, header, sent, told, pointer) => {
  const { text } = await send(header, sent);
  expect(text).toContain(`sendValue: valid request: ${told}\n`);
  expect(text).toContain(AT + pointer);
});

test('the headers of refusals are checked too', async () => {
  const refusals = '{ X-Why: { required: true, schema: { enum: [invalid] } } }';
  const checkWhy = (refusalHeaders: Readonly<Record<string, string>>) =>
    check('{ type: boolean }', { takes, refusalHeaders }, { refusals });
  expect(await checkWhy({ 'X-Why': 'invalid' })).toMatchObject({ failures: 0 });
  expect((await checkWhy({})).text).toContain('body missing: the header X-Why is missing');
  expect((await checkWhy({ 'X-Why': 'no' })).text).toContain('the header X-Why must be equal to one of');
});
