import { STATUS_CODES } from 'node:http';
import type { Contract } from '../document/contract.ts';
import { responseFor } from '../document/operations.ts';
import { toWire } from '../requests/draft.ts';
import type { Probe } from '../requests/probe.ts';
import type { Breach } from './breach.ts';
import { conceal } from './credentials.ts';
import { toCurl } from './curl.ts';
import type { Answer } from './transport.ts';

/** A request that the service did not answer as the contract says, as small as it could be made. */
export interface Failure {
  readonly probe: Probe;
  /** Nothing where the service gave none. */
  readonly answer: Answer | undefined;
  readonly breach: Breach;
}

const OF_INTEREST = [
  'content-type',
  'www-authenticate',
  'allow',
  'location',
  'retry-after',
  'x-request-id',
  'x-stub',
];
const LONGEST = 1000;

const shorten = (text: string): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters)` : text;

const tellAnswer = ({ probe: { draft }, answer }: Failure): string[] => {
  if (!answer) return ['no answer'];
  const declared = responseFor(draft.operation, answer.status)?.headers ?? [];
  const names = new Set([...OF_INTEREST, ...declared.map(({ name }) => name.toLowerCase())]);
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

/** Tells people of a failure: what, the request to paste, the answer, the place in the contract. */
export const createTell = ({ nameOf }: Pick<Contract, 'nameOf'>, url: string) => {
  return (failure: Failure): string => {
    const { probe, breach } = failure;
    const { operation } = probe.draft;
    return [
      `${operation.id}: ${probe.name}: ${breach.what}`,
      `  ${toCurl(url, toWire(probe.draft, conceal))}`,
      ...tellAnswer(failure).map((line) => `  ${line}`),
      `  ${nameOf(breach.at)}`,
    ].join('\n');
  };
};
