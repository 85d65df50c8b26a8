import { IDS, NAME, planCreates, TAG, TOKEN } from './plan.ts';
import type { Workload } from './round.ts';

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

/** Creates of plants. */
export const CREATES: Workload = { findWrongAnswers, rowsBefore: 1, plan: planCreates };
