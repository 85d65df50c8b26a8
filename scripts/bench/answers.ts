import { IDS, NAME, TAG, TOKEN } from './plan.ts';

interface Expectation {
  readonly what: string;
  readonly body: string;
  readonly token?: string;
  readonly status: number;
}

const ID = IDS.least;
const PLANT = JSON.stringify({ id: ID, name: NAME, tag: TAG });

/** The order matters: the second and third depend on the plant that the first creates. */
const EXPECTATIONS: readonly Expectation[] = [
  { what: 'a plant', body: PLANT, status: 200 },
  { what: 'the same plant again', body: PLANT, status: 200 },
  { what: 'another plant under its id', body: JSON.stringify({ id: ID, name: 'Fern' }), status: 409 },
  { what: 'a plant without a name', body: JSON.stringify({ id: ID }), status: 400 },
  { what: 'a name that is not a string', body: JSON.stringify({ id: ID, name: {} }), status: 400 },
  { what: 'a body that is not JSON', body: '{"id":', status: 400 },
  { what: 'a request without a token', body: PLANT, token: '', status: 401 },
  { what: 'a token that is not valid', body: PLANT, token: `Bearer ${TOKEN}x`, status: 401 },
];

/** How many plants these requests leave in the store. */
export const PLANTS_ASKED = 1;

const hasErrorShape = (text: string): boolean => {
  const body: unknown = JSON.parse(text);
  return (
    typeof body === 'object' &&
    body !== null &&
    'error' in body &&
    Number.isInteger(body.error) &&
    'message' in body &&
    typeof body.message === 'string'
  );
};

const isRightBody = (status: number, text: string): boolean => {
  try {
    return status === 200 ? text === JSON.stringify({ name: NAME, tag: TAG }) : hasErrorShape(text);
  } catch {
    return false;
  }
};

/** Sends the requests that a server must answer correctly before its speed counts; lists the wrong answers. */
export const findWrongAnswers = async (url: string): Promise<string[]> => {
  const wrong: string[] = [];
  for (const { what, body, token = `Bearer ${TOKEN}`, status } of EXPECTATIONS) {
    const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: token }) };
    const response = await fetch(`${url}/plants`, {
      method: 'POST',
      body,
      headers,
      signal: AbortSignal.timeout(10_000),
    });
    const text = await response.text();
    if (response.status !== status || !isRightBody(status, text))
      wrong.push(`${what} is answered ${response.status} ${text.slice(0, 200)}`);
  }
  return wrong;
};
