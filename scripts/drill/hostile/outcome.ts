import type { WireReply } from './replies.ts';

/**
 * The errors that a request can be refused with, and their numbers. The drill has its own table, so that a mistake in the
 * table of the service is found.
 */
const ERRORS = [
  [40001, 'malformedJson'],
  [40002, 'schemaMismatch'],
  [40003, 'malformedHttp'],
  [40101, 'noCredentials'],
  [40102, 'invalidToken'],
  [40401, 'noSuchPath'],
  [40501, 'noSuchMethod'],
  [40801, 'requestTimeout'],
  [40901, 'idTaken'],
  [41301, 'bodyTooLarge'],
  [41501, 'unsupportedMediaType'],
  [43101, 'headersTooLarge'],
] as const;

/** What a reply says: 200, or one of the errors. */
export type Outcome = 'served' | (typeof ERRORS)[number][1];

const NAMES = new Map<unknown, Outcome>(ERRORS);

/** The header field that a status requires (RFC 9110, sections 11.6.1, 10.2.1). */
const REQUIRED_FIELDS = new Map([
  [401, 'www-authenticate'],
  [405, 'allow'],
]);

type Body = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses a JSON object. Returns an empty one, which is never right, for anything else. */
const parseObject = (text: string): Body => {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
};

const hasOnly = (body: Body, ...names: string[]): boolean =>
  Object.keys(body).every((name) => names.includes(name));

const isPlant = (body: Body): boolean =>
  hasOnly(body, 'name', 'tag') &&
  typeof body.name === 'string' &&
  (!Object.hasOwn(body, 'tag') || typeof body.tag === 'string');

const isError = (body: Body): boolean =>
  hasOnly(body, 'error', 'message') && typeof body.message === 'string' && body.message !== '';

/** Reads what a reply says, or what is wrong with it. */
export const readOutcome = ({
  status,
  headers,
  text,
}: WireReply): { readonly outcome: Outcome; readonly body: Body } | { readonly flaw: string } => {
  if (status >= 500) return { flaw: `status ${status}` };
  if (headers.get('content-type') !== 'application/json')
    return { flaw: 'a reply that is not application/json' };
  const body = parseObject(text);
  if (status === 200) return isPlant(body) ? { outcome: 'served', body } : { flaw: 'a 200 that is no Plant' };
  if (status < 400) return { flaw: `status ${status}` };
  if (!isError(body)) return { flaw: 'a refusal that is no Error' };
  const outcome = NAMES.get(body.error);
  if (!outcome || Math.floor(Number(body.error) / 100) !== status)
    return { flaw: `error ${body.error} does not go with status ${status}` };
  const required = REQUIRED_FIELDS.get(status);
  return required && !headers.get(required) ? { flaw: `a ${status} without ${required}` } : { outcome, body };
};
