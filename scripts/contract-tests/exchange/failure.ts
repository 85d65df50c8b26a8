import { STATUS_CODES } from 'node:http';
import type { Contract } from '../document/contract.ts';
import { responseFor } from '../document/operations.ts';
import { toWire } from '../requests/draft.ts';
import type { Probe } from '../requests/probe.ts';
import type { Breach } from './breach.ts';
import { conceal } from './credentials.ts';
import { toCurl } from './curl.ts';
import type { Answer } from './transport.ts';

/** A request with a wrong answer, shrunk as far as possible. */
export interface Failure {
  readonly probe: Probe;
  /** `undefined` if the service did not answer. */
  readonly answer: Answer | undefined;
  readonly breach: Breach;
}

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

const describeAnswer = ({ probe: { draft }, answer }: Failure): string[] => {
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
export const createTell = ({ nameOf }: Pick<Contract, 'nameOf'>, url: string) => {
  return (failure: Failure): string => {
    const { probe, breach } = failure;
    const { operation } = probe.draft;
    return [
      `${operation.id}: ${probe.name}: ${breach.what}`,
      `  ${toCurl(url, toWire(probe.draft, conceal))}`,
      ...describeAnswer(failure).map((line) => `  ${line}`),
      `  ${nameOf(breach.at)}`,
    ].join('\n');
  };
};
