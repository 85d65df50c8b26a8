import fc from 'fast-check';
import { loadDocument } from '../../../../src/contract/document/load.ts';
import { operationsIn } from '../../../../src/contract/document/path-item.ts';
import { TOKEN } from '../../plant-store.ts';
import type { Outcome } from '../outcome.ts';
import { validBodies } from './plants.ts';
import { AUTHORIZATION, CREATED, type Draft, GOOD_FIELDS, JSON_TYPE, mostly } from './request.ts';

const withFields = (
  fields: fc.Arbitrary<readonly string[]>,
  expects: readonly Outcome[],
): fc.Arbitrary<Draft> =>
  fc.tuple(validBodies, fields).map(([draft, sent]) => ({ ...draft, fields: sent, expects }));

const OTHER_TYPES = [
  '',
  'json',
  '/',
  'text/plain',
  'application/jsonp',
  'application/json, text/plain',
  'application/json; charset=latin1',
  'application/json;charset=utf-16',
  'application/vnd.api+json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json\u00e9',
  `application/${'x'.repeat(4000)}`,
];
const JSON_TYPES = [
  'application/json;',
  'APPLICATION/JSON',
  'application/json; charset=UTF-8',
  'application/json;charset="utf-8"',
  `application/json; a=${'x'.repeat(4000)}`,
];

const typeFields = (types: readonly string[]): fc.Arbitrary<readonly string[]> =>
  fc.constantFrom(...types).map((type) => ['Host: x', AUTHORIZATION, `Content-Type: ${type}`]);

/** Media types. The service refuses all but JSON in UTF-8. */
export const mediaTypes: fc.Arbitrary<Draft> = fc.oneof(
  { weight: 3, arbitrary: withFields(typeFields(JSON_TYPES), CREATED) },
  { weight: 7, arbitrary: withFields(typeFields(OTHER_TYPES), ['unsupportedMediaType']) },
);

const CREDENTIALS = [
  '',
  TOKEN,
  `Basic ${TOKEN}`,
  `Bearer${TOKEN}`,
  'Bearer',
  `Bearer ${TOKEN}x`,
  `Bearer ${TOKEN.slice(0, -1)}`,
  `Bearer ${TOKEN.toUpperCase()}`,
  `Bearer ${TOKEN}, ${TOKEN}`,
  `Bearer ${TOKEN} ${TOKEN}`,
  `Bearer "${TOKEN}"`,
  'Bearer \u00ff\u00fe',
  'Bearer __proto__',
  'Bearer constructor',
  `Bearer ${'a'.repeat(8000)}`,
  'Bearer eyJhbGciOiJub25lIn0.e30.',
];

/** Missing or wrong credentials. The service refuses all of them. */
export const credentials: fc.Arbitrary<Draft> = withFields(
  fc
    .option(fc.constantFrom(...CREDENTIALS), { freq: 10, nil: undefined })
    .map((sent) => ['Host: x', JSON_TYPE, ...(sent === undefined ? [] : [`Authorization: ${sent}`])]),
  ['noCredentials', 'invalidToken'],
);

const FIELD_NAMES = [
  'X-A',
  '__proto__',
  'constructor',
  'Cookie',
  'Forwarded',
  'X-HTTP-Method-Override',
  "!#$%&'*+-.^_`|~",
];
const FIELD_VALUES = ['', 'a', 'GET', '\u00ff\u0080', '\t', 'a'.repeat(3000), '() { :;}; x', '$(id) `id`'];

const fieldsWith = (values: readonly string[], count: object): fc.Arbitrary<string[]> =>
  fc.array(
    fc
      .tuple(fc.constantFrom(...FIELD_NAMES), fc.constantFrom(...values))
      .map(([name, value]) => `${name}: ${value}`),
    count,
  );

/** Header fields that mean nothing to the service, up to hundreds of them. */
export const harmlessFields: fc.Arbitrary<Draft> = withFields(
  fc
    .tuple(
      fieldsWith(FIELD_VALUES, { minLength: 1, maxLength: 3 }),
      mostly([], 2, fieldsWith(['a'], { maxLength: 300 })),
      mostly([], 4, fc.constantFrom(['Expect: 100-continue'], ['Expect: tea'])),
    )
    .map(([odd, many, expectation]) => [...odd, ...many, ...expectation, ...GOOD_FIELDS]),
  CREATED,
);

const { paths } = await loadDocument('openapi.yaml');
const declared = operationsIn(paths?.['/plants']).map(({ method }) => method.toUpperCase());
// A path that declares GET answers HEAD too.
if (declared.includes('GET')) declared.push('HEAD');
const undeclaredMethods = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'M-SEARCH'].filter(
  (method) => !declared.includes(method),
);

const TARGETS: readonly (readonly [line: string, expects: Outcome])[] = [
  ['POST /plants?a=%zz&b[]=1&__proto__=x', 'served'],
  ['POST /%70l%61nts', 'served'],
  ['POST http://elsewhere.example/plants', 'served'],
  ['POST /plants/', 'noSuchPath'],
  ['POST //plants', 'noSuchPath'],
  ['POST /plants/../plants', 'noSuchPath'],
  ['POST /plants%2f', 'noSuchPath'],
  ['POST /plants%00', 'noSuchPath'],
  ['POST /plants%', 'noSuchPath'],
  ['POST /%c0%af', 'noSuchPath'],
  ['POST /PLANTS', 'noSuchPath'],
  ['POST /__proto__', 'noSuchPath'],
  ['POST /constructor', 'noSuchPath'],
  ['POST /..%2f..%2fetc%2fpasswd', 'noSuchPath'],
  ['POST http://[', 'noSuchPath'],
  ['POST plant://plants', 'noSuchPath'],
  [`POST /${'a'.repeat(8000)}`, 'noSuchPath'],
  ...undeclaredMethods.map((method) => [`${method} /plants`, 'noSuchMethod'] as const),
  ['POST /healthz', 'noSuchMethod'],
];

/** Methods and targets of every kind. */
export const targets: fc.Arbitrary<Draft> = fc
  .tuple(validBodies, fc.constantFrom(...TARGETS))
  .map(([draft, [start, outcome]]) => ({
    ...draft,
    line: `${start} HTTP/1.1`,
    expects: outcome === 'served' ? CREATED : [outcome],
  }));
