import fc from 'fast-check';
import { operationsIn } from '../../../../packages/openapi/src/document/path-item.ts';
import { loadDocument } from '../../../../packages/openapi/src/files/load.ts';
import { TOKEN } from '../../plant-store.ts';
import { AUTHORIZATION, GOOD_FIELDS, HOST, JSON_TYPE } from '../../wire.ts';
import type { Outcome } from '../outcome.ts';
import { validBodies } from './plants.ts';
import { CREATED, type Draft, type Drafts, mostly } from './request.ts';

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
  fc.constantFrom(...types).map((type) => [HOST, AUTHORIZATION, `Content-Type: ${type}`]);

/** The service refuses all media types but JSON in UTF-8. */
const mediaTypes = fc.oneof(
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
const credentials = withFields(
  fc
    .option(fc.constantFrom(...CREDENTIALS), { freq: 10, nil: undefined })
    .map((sent) => [HOST, JSON_TYPE, ...(sent === undefined ? [] : [`Authorization: ${sent}`])]),
  ['noCredentials', 'invalidToken'],
);

const FIELD_NAMES = [
  ...'X-A __proto__ constructor Cookie Forwarded X-HTTP-Method-Override'.split(' '),
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
const harmlessFields = withFields(
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
const undeclaredMethods = 'GET HEAD PUT PATCH DELETE TRACE PROPFIND M-SEARCH'
  .split(' ')
  .filter((method) => !declared.includes(method));

const NO_SUCH_PATHS = [
  ...'/plants/ //plants /plants/../plants /plants%2f /plants%00 /plants% /%c0%af /PLANTS'.split(' '),
  ...'/__proto__ /constructor /..%2f..%2fetc%2fpasswd http://[ plant://plants'.split(' '),
  `/${'a'.repeat(8000)}`,
];
const SAME_PATHS = ['/plants?a=%zz&b[]=1&__proto__=x', '/%70l%61nts', 'http://elsewhere.example/plants'];

const TARGETS: readonly (readonly [start: string, expects: readonly Outcome[]])[] = [
  ...SAME_PATHS.map((path) => [`POST ${path}`, CREATED] as const),
  ...NO_SUCH_PATHS.map((path) => [`POST ${path}`, ['noSuchPath']] as const),
  ...undeclaredMethods.map((method) => [`${method} /plants`, ['noSuchMethod']] as const),
  ['POST /healthz', ['noSuchMethod']],
];

const targets = fc
  .tuple(validBodies, fc.constantFrom(...TARGETS))
  .map(([draft, [start, expects]]) => ({ ...draft, start, expects }));

/** Valid bodies under unusual request lines and header fields. */
export const HEADS: Drafts = {
  'HTTP: media type': mediaTypes,
  'HTTP: credentials': credentials,
  'HTTP: method and target': targets,
  'HTTP: harmless fields': harmlessFields,
};
