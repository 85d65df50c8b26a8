import { STATUS_CODES } from 'node:http';
import type { Contract } from '../document/contract.ts';
import { type Operation, responseFor } from '../document/operations.ts';
import { type Exchange, toWire, type WireRequest } from '../requests/draft.ts';
import type { Breach } from './breach.ts';
import { conceal } from './credentials.ts';
import { toCurl } from './curl.ts';

/** A wrong answer, with as few and as small requests as show it. */
export interface Failure {
  /** What was sent, or done: `query.limit above 100`. */
  readonly name: string;
  /** The requests in their order. The last one got the wrong answer. */
  readonly exchanges: readonly Exchange[];
  readonly breach: Breach;
}

/** The operation whose answer is wrong. */
export const operationOf = ({ exchanges }: Failure): Operation => {
  const last: Exchange | undefined = exchanges.at(-1);
  if (!last) throw new Error('a failure without a request');
  return last.draft.operation;
};

const SHOWN_HEADERS = [
  'content-type',
  'www-authenticate',
  'allow',
  'location',
  'retry-after',
  'x-request-id',
  'x-stub',
  'x-stub-note',
];
const LONGEST = 1000;

const shorten = (text: string): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters)` : text;

const describeAnswer = ({ draft, answer }: Exchange): string[] => {
  if (!answer) return ['no answer'];
  const declared = responseFor(draft.operation, answer.status)?.headers ?? [];
  const names = new Set([...SHOWN_HEADERS, ...declared.map(({ name }) => name.toLowerCase())]);
  const fields = [...names].flatMap((name) => {
    const value = answer.headers[name];
    return value === undefined ? [] : [`${name}: ${value}`];
  });
  const body = answer.body.toString('utf8');
  return [
    [`${answer.status} ${STATUS_CODES[answer.status] ?? ''}`.trim(), ...fields].join('   '),
    ...(body === '' ? [] : [shorten(body)]),
  ];
};

/** Makes a function that describes a failure: what is wrong, the request as curl, the answer, the place in the contract. */
export const createTell = (
  { nameOf }: Pick<Contract, 'nameOf'>,
  url: string,
  /** Sent with every request. */
  headers: WireRequest['headers'] = [],
) => {
  const write = (request: WireRequest): string =>
    toCurl(url, { ...request, headers: [...headers, ...request.headers] });
  return (failure: Failure): string => {
    const { name, exchanges, breach } = failure;
    return [
      `${operationOf(failure).id}: ${name}: ${breach.what}`,
      ...exchanges.flatMap((exchange) => [
        `  ${write(toWire(exchange.draft, conceal))}`,
        ...describeAnswer(exchange).map((line) => `  ${line}`),
      ]),
      `  ${nameOf(breach.at)}`,
    ].join('\n');
  };
};
