import { PROBLEMS, type ProblemName } from '../../../src/contract/problems/problem.ts';
import type { Outcome } from './case.ts';
import type { WireReply } from './replies.ts';

const OUTCOMES = new Map<unknown, ProblemName>();
for (const [name, number] of Object.entries(PROBLEMS)) if (isProblem(name)) OUTCOMES.set(number, name);

function isProblem(name: string): name is ProblemName {
  return Object.hasOwn(PROBLEMS, name);
}

/** The header that goes with a status (RFC 9110, sections 11.6.1, 10.2.1). */
const COMPANIONS = new Map([
  [401, 'www-authenticate'],
  [405, 'allow'],
]);

/** The value of a JSON text; nothing if it is none. */
export const parse = (text: string): unknown => {
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

/** What a reply says, or what is wrong with it. */
export const readOutcome = ({
  status,
  headers,
  text,
}: WireReply): { outcome: Outcome } | { flaw: string } => {
  if (status >= 500) return { flaw: `status ${status}` };
  if (headers.get('content-type') !== 'application/json')
    return { flaw: 'a reply that is not application/json' };
  const body = parse(text);
  if (status === 200) return isPlant(body) ? { outcome: 'served' } : { flaw: 'a 200 that is no Plant' };
  if (status < 400) return { flaw: `status ${status}` };
  if (
    !isObject(body) ||
    !hasOnly(body, 'error', 'message') ||
    typeof body.message !== 'string' ||
    body.message === ''
  )
    return { flaw: 'a refusal that is no Error' };
  const outcome = OUTCOMES.get(body.error);
  if (!outcome || Math.floor(PROBLEMS[outcome] / 100) !== status)
    return { flaw: `error ${body.error} does not go with status ${status}` };
  const companion = COMPANIONS.get(status);
  return companion && !headers.get(companion) ? { flaw: `a ${status} without ${companion}` } : { outcome };
};
