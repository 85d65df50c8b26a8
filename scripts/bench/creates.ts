import { IDS, type LoadOptions, type Plan, startOf, TOKEN } from './plan.ts';
import type { Workload } from './round.ts';

/** The name and tag of every plant that is created. */
export const NAME = 'Monstera deliciosa';
export const TAG = 'tropical';

const [id, name, tag] = [IDS.least, NAME, TAG];
const PLANT = { id, name, tag };

/** Answers that a server must give before it is measured, in order: some need the plant that the first one creates. */
const EXPECTATIONS: readonly (readonly [
  what: string,
  body: object | string,
  status: number,
  token?: string,
])[] = [
  ['a plant', PLANT, 200],
  ['the same plant again', PLANT, 200],
  ['another plant under its id', { id, name: 'Fern' }, 409],
  ['a plant without a name', { id }, 400],
  ['a name that is not a string', { id, name: {} }, 400],
  ['a body that is not JSON', '{"id":', 400],
  ['a request without a token', PLANT, 401, ''],
  ['a token that is not valid', PLANT, 401, `Bearer ${TOKEN}x`],
];

/** An Error of the contract: its number, and a message. */
const ERROR = /^\{"error":\d+,"message":".+"\}$/;

const findWrongAnswers = async (url: string): Promise<string[]> => {
  const wrong: string[] = [];
  for (const [what, body, status, token = `Bearer ${TOKEN}`] of EXPECTATIONS) {
    const response = await fetch(`${url}/plants`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', ...(token && { Authorization: token }) },
      signal: AbortSignal.timeout(10_000),
    });
    const text = await response.text();
    const isRight = status === 200 ? text === JSON.stringify({ name, tag }) : ERROR.test(text);
    if (response.status !== status || !isRight)
      wrong.push(`${what} is answered ${response.status} ${text.slice(0, 200)}`);
  }
  return wrong;
};

/** Plans the nth load on a store. Every create has a unique id. */
const plan = (url: string, nth: number, { connections, seconds, bytes = 0 }: LoadOptions): Plan => {
  const membersOf = (name: string) => `"name":"${name}","tag":"${TAG}"}`;
  const least = `{"id":${IDS.least},${membersOf(NAME)}`.length;
  const more = Math.max(0, bytes - least);
  const members = membersOf(NAME + ` ${NAME}`.repeat(Math.ceil(more / NAME.length)).slice(0, more));
  return {
    ...{ url, connections, seconds, method: 'POST', path: '/plants' },
    headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
    body: `{"id":{n},${members}`,
    ...{ items: 1, tokens: [], from: startOf(nth), fromPair: 0 },
    ...{ status: 200, expected: `{${members}` },
  };
};

/** Creates of plants. */
export const CREATES: Workload = { findWrongAnswers, rowsBefore: 1, plan };
