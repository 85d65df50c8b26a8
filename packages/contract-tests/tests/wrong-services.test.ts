import { run } from './run.ts';
import { type Behaviour, lineOf, startThings, THINGS_FILE, THINGS_TOKEN } from './things-service.ts';

const FILE = 'packages/contract-tests/tests/things.yaml';

/** Runs the checks against a service that gets this wrong. */
const check = async (wrong: Partial<Behaviour>, phases: readonly string[] = []) => {
  const { url, close } = await startThings(wrong);
  const credentials = { token: THINGS_TOKEN };
  const result = await run({ spec: THINGS_FILE, url, credentials, requests: 12, phases });
  await close();
  return { ...result, url };
};

test('a service that does everything right keeps its contract', async () => {
  const { text, failures } = await check({});
  expect(failures).toBe(0);
  expect(text).toMatch(/^\| createThing \(POST \/things\) \| +\d+ \| +[1-9]\d* \| +\d+ \| +0 \|/m);
});

const POST = 'curl -i -X POST';
const JSON_TYPE = "-H 'Content-Type: application/json'";
const TOKEN = '-H "Authorization: Bearer $TOKEN"';
const REQUEST_BODY = '#/paths/~1things/post/requestBody';
const RESPONSES = '#/paths/~1things/post/responses';

test.each<
  [
    what: string,
    phase: string,
    wrong: Partial<Behaviour>,
    told: string[],
    place: [string, string?],
    pointer: string,
  ]
>([
  [
    'refuses valid requests',
    'valid',
    { isThing: () => false },
    [
      'createThing: valid request: a valid request was refused with 400',
      `${TOKEN} ${JSON_TYPE} --data-raw '{"name":""}'`,
    ],
    ['4XX'],
    `${RESPONSES}/4XX`,
  ],
  [
    'answers with a status that is not declared',
    'valid',
    { status: 202 },
    ['createThing: valid request: status 202, which is not declared', '202 Accepted'],
    ['responses:'],
    RESPONSES,
  ],
  [
    'leaves out a header',
    'valid',
    { headers: { 'Content-Type': 'application/json' } },
    ['the header X-Version is missing'],
    ['required', 'X-Version'],
    `${RESPONSES}/200/headers/X-Version/required`,
  ],
  [
    'sends a header of another type',
    'valid',
    { headers: { 'Content-Type': 'application/json', 'X-Version': '1.5' } },
    ['the header X-Version must be integer', 'x-version: 1.5'],
    ['type: integer', 'X-Version'],
    `${RESPONSES}/200/headers/X-Version/schema/type`,
  ],
  [
    'sends a body of another shape',
    'valid',
    { body: () => ({ name: 41 }) },
    ['the body/name must be string', '{"name":41}'],
    ['type: string', '    Thing:'],
    '#/components/schemas/Thing/properties/name/type',
  ],
  [
    'sends more than there should be',
    'valid',
    { body: () => ({ name: 'a', secret: 1 }) },
    ['the body must NOT have additional properties: "secret"'],
    ['additionalProperties', '    Thing:'],
    '#/components/schemas/Thing/additionalProperties',
  ],
  [
    'sends another media type',
    'valid',
    { headers: { 'Content-Type': 'text/html', 'X-Version': '1' } },
    ['Content-Type text/html, which is not declared'],
    ['content:', 'X-Version'],
    `${RESPONSES}/200/content`,
  ],
  [
    'fails',
    'valid',
    { status: 500 },
    ['createThing: valid request: status 500: the service failed', '500 Internal Server Error'],
    ['responses:'],
    RESPONSES,
  ],
  [
    'takes a body that misses a member',
    'bodies',
    { isThing: (thing) => typeof thing === 'object' },
    ['createThing: body.name missing: expected 400, got 200', `${JSON_TYPE} --data-raw '{}'`],
    ['required', '    Thing:'],
    '#/components/schemas/Thing/required',
  ],
  [
    'takes a text that is too long',
    'bodies',
    { isThing: (thing) => typeof Object(thing).name === 'string' && Object.keys(Object(thing)).length === 1 },
    ['createThing: body.name longer than 5: expected 400, got 200', `--data-raw '{"name":"xxxxxx"}'`],
    ['maxLength', '    Thing:'],
    '#/components/schemas/Thing/properties/name/maxLength',
  ],
  [
    'takes what only looks like an integer',
    'parameters',
    { isLimit: (limit) => Number(limit) >= 1 && Number.isInteger(Number(limit)) },
    [
      'createThing: query.limit as "0x10": expected 400, got 200',
      "/things?limit=0x10' ",
      "?limit=1e3' ",
      "?limit=%205' ",
    ],
    ['type: integer', 'limit'],
    '#/paths/~1things/post/parameters/0/schema/type',
  ],
  [
    'takes an integer out of range',
    'parameters',
    { isLimit: (limit) => /^-?\d+$/.test(limit) },
    ['createThing: query.limit below 1: expected 400, got 200', "/things?limit=0' "],
    ['minimum', 'limit'],
    '#/paths/~1things/post/parameters/0/schema/minimum',
  ],
  [
    'takes any media type',
    'bodies',
    { isMediaType: () => true },
    [
      'createThing: body as text/plain, which is not declared: expected 415, got 200',
      "-H 'Content-Type: text/plain'",
    ],
    ['content:', 'requestBody'],
    `${REQUEST_BODY}/content`,
  ],
  [
    'accepts any credentials',
    'credentials',
    { isKnown: () => true },
    [
      'createThing: no credentials: expected 401, got 200',
      'createThing: wrong credentials for bearerAuth: expected 401, got 200',
      "-H 'Authorization: Bearer wrong-token'",
    ],
    ['security:'],
    '#/security',
  ],
  [
    'refuses in another shape',
    'bodies',
    { refusal: () => ({ reason: 'no' }) },
    ["the body must have required property 'error'", '{"reason":"no"}'],
    ['required', '    Error:'],
    '#/components/schemas/Error/required',
  ],
  [
    'hangs up',
    'valid',
    { hangsUp: true },
    ['createThing: valid request: no answer: ECONNRESET', '  no answer'],
    ['post:'],
    '#/paths/~1things/post',
  ],
])('a service that %s is caught', async (_what, phase, wrong, told, [line, after], pointer) => {
  const { text, failures, url } = await check(wrong, [phase]);
  expect(failures).toBeGreaterThan(0);
  for (const each of told) expect(text).toContain(each);
  expect(text).toMatch(new RegExp(`^  ${POST} '?${url}/things`, 'm'));
  expect(text).toContain(`  ${FILE}:${await lineOf(line, after)} ${pointer}`);
  expect(text).not.toContain(THINGS_TOKEN);
});
