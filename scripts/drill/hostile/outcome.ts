import type { WireReply } from './replies.ts';

/**
 * The errors that a request can be refused with, and their numbers. The drill has its own table, so that a mistake in the
 * table of the service is found.
 */
const ERRORS = {
  malformedJson: 40001,
  schemaMismatch: 40002,
  malformedHttp: 40003,
  noCredentials: 40101,
  invalidToken: 40102,
  noSuchPath: 40401,
  noSuchMethod: 40501,
  requestTimeout: 40801,
  idTaken: 40901,
  bodyTooLarge: 41301,
  unsupportedMediaType: 41501,
  headersTooLarge: 43101,
} as const;

type ErrorName = keyof typeof ERRORS;

/** What a reply says: 200, or one of the errors. */
export type Outcome = 'served' | ErrorName;

const isErrorName = (name: string): name is ErrorName => Object.hasOwn(ERRORS, name);

const NAMES = new Map<unknown, ErrorName>(
  Object.keys(ERRORS)
    .filter(isErrorName)
    .map((name) => [ERRORS[name], name]),
);

/** The header field that a status requires (RFC 9110, sections 11.6.1, 10.2.1). */
const REQUIRED_FIELDS = new Map([
  [401, 'www-authenticate'],
  [405, 'allow'],
]);

/** Parses JSON text. Returns `undefined` if it is malformed. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Narrows to a JSON object. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const hasOnly = (value: object, ...names: string[]): boolean =>
  Object.keys(value).every((name) => names.includes(name));

const isPlant = (body: unknown): boolean =>
  isObject(body) &&
  hasOnly(body, 'name', 'tag') &&
  typeof body.name === 'string' &&
  (!Object.hasOwn(body, 'tag') || typeof body.tag === 'string');

/** Reads what a reply says, or what is wrong with it. */
export const readOutcome = ({
  status,
  headers,
  text,
}: WireReply): { outcome: Outcome } | { flaw: string } => {
  if (status >= 500) return { flaw: `status ${status}` };
  if (headers.get('content-type') !== 'application/json')
    return { flaw: 'a reply that is not application/json' };
  const body = parseJson(text);
  if (status === 200) return isPlant(body) ? { outcome: 'served' } : { flaw: 'a 200 that is no Plant' };
  if (status < 400) return { flaw: `status ${status}` };
  if (
    !isObject(body) ||
    !hasOnly(body, 'error', 'message') ||
    typeof body.message !== 'string' ||
    body.message === ''
  )
    return { flaw: 'a refusal that is no Error' };
  const outcome = NAMES.get(body.error);
  if (!outcome || Math.floor(ERRORS[outcome] / 100) !== status)
    return { flaw: `error ${body.error} does not go with status ${status}` };
  const required = REQUIRED_FIELDS.get(status);
  return required && !headers.get(required) ? { flaw: `a ${status} without ${required}` } : { outcome };
};
