import {
  AUTHORIZATION,
  type Case,
  CREATED,
  GOOD_FIELDS,
  JSON_TYPE,
  LINE,
  type Outcome,
  TOKEN,
  writeFramed,
} from './case.ts';
import { makeValid } from './members.ts';
import type { Random, Some } from './random.ts';

/** Makes a request whose end is where it says: it has exactly one answer, and others may follow it. */
export type MakeFramed = (random: Random) => Omit<Case, 'kind'>;

const withFields = (random: Random, fields: readonly string[], expects: readonly Outcome[]) => {
  const { bytes: body, plant } = makeValid(random);
  return { bytes: writeFramed(random, { line: LINE, fields, body }), expects, plant };
};

const OTHER_TYPES: Some<string> = [
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
const JSON_TYPES: Some<string> = [
  'application/json;',
  'APPLICATION/JSON',
  'application/json; charset=UTF-8',
  'application/json;charset="utf-8"',
  `application/json; a=${'x'.repeat(4000)}`,
];

/** Every media type but JSON in UTF-8 is refused. */
export const makeMediaType: MakeFramed = (random) =>
  random.chance(0.3)
    ? withFields(random, ['Host: x', AUTHORIZATION, `Content-Type: ${random.pick(JSON_TYPES)}`], CREATED)
    : withFields(
        random,
        ['Host: x', AUTHORIZATION, `Content-Type: ${random.pick(OTHER_TYPES)}`],
        ['unsupportedMediaType'],
      );

const CREDENTIALS: Some<string> = [
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

/** Whatever is not the token is refused, and so is no token. */
export const makeCredentials: MakeFramed = (random) => {
  const sent = random.chance(0.1) ? [] : [`Authorization: ${random.pick(CREDENTIALS)}`];
  return withFields(random, ['Host: x', JSON_TYPE, ...sent], ['noCredentials', 'invalidToken']);
};

const FIELD_NAMES: Some<string> = [
  'X-A',
  '__proto__',
  'constructor',
  'Cookie',
  'Forwarded',
  'X-HTTP-Method-Override',
  "!#$%&'*+-.^_`|~",
];
const FIELD_VALUES: Some<string> = [
  '',
  'a',
  'GET',
  '\u00ff\u0080',
  '\t',
  'a'.repeat(3000),
  '() { :;}; x',
  '$(id) `id`',
];

/** Header fields that mean nothing here, up to hundreds of them. */
export const makeHarmlessFields: MakeFramed = (random) => {
  const noise = Array.from(
    { length: random.pick([1, 3, 300]) },
    (_, index) => `${random.pick(FIELD_NAMES)}: ${index < 4 ? random.pick(FIELD_VALUES) : 'a'}`,
  );
  const expectation = random.chance(0.2) ? [random.pick(['Expect: 100-continue', 'Expect: tea'])] : [];
  return withFields(random, [...noise, ...expectation, ...GOOD_FIELDS], CREATED);
};
