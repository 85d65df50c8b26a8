import { STATUS_CODES } from 'node:http';
import type { Contract } from '../document/contract.ts';
import { type Operation, replyFor } from '../document/operations.ts';
import type { Breach, Exchange, WireRequest } from '../requests/call.ts';
import type { Probe } from '../requests/probe.ts';
import { toScript } from './curl.ts';
import type { JudgedReply } from './send.ts';

/** A wrong reply, with the fewest and smallest requests that cause it. */
export interface Failure {
  /** The fault in the request, or the promise: `query.limit above 100`. */
  readonly name: string;
  /** The requests in order. The last one got the wrong reply. */
  readonly exchanges: readonly Exchange[];
  readonly breach: Breach;
}

/** Converts a judged reply to a failure with the requests before it; `undefined` if the reply is right. */
export const failureOf = (
  { name, call }: Pick<Probe, 'name' | 'call'>,
  { reply, breach }: JudgedReply,
): Failure | undefined => breach && { name, exchanges: [...(call.before ?? []), { call, reply }], breach };

/** The operation whose reply is wrong. */
export const operationOf = ({ exchanges }: Failure): Operation => {
  const last: Exchange | undefined = exchanges.at(-1);
  if (!last) throw new Error('a failure without a request');
  return last.call.operation;
};

const SHOWN_HEADERS = [
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

const describeReply = ({ call, reply }: Exchange): string[] => {
  if (!reply) return ['no answer'];
  const declared = replyFor(call.operation, reply.status)?.headers ?? [];
  const names = new Set([...SHOWN_HEADERS, ...declared.map(({ name }) => name.toLowerCase())]);
  const fields = [...names].flatMap((name) => {
    const value = reply.headers[name];
    return value === undefined ? [] : [`${name}: ${value}`];
  });
  const body = reply.body.toString('utf8');
  return [
    [`${reply.status} ${STATUS_CODES[reply.status] ?? ''}`.trim(), ...fields].join('   '),
    ...(body === '' ? [] : [shorten(body)]),
  ];
};

/** Turns lines of output into shell comments, so that all lines can be pasted. */
const asComment = (line: string): string => `# ${line.replaceAll('\n', '\n# ')}`;

/** Creates a function that describes a failure: the fault, curl commands, replies, and the place in the contract. */
export const createTell =
  (
    { nameOf }: Pick<Contract, 'nameOf'>,
    url: string,
    /** Headers that are sent with every request. */
    headers: WireRequest['headers'] = [],
  ) =>
  (failure: Failure): string => {
    const { name, exchanges, breach } = failure;
    const lines = toScript(url, exchanges, headers);
    const write = exchanges.length > 1 ? asComment : (line: string) => line;
    return [
      `${operationOf(failure).id}: ${name}: ${breach.what}`,
      ...exchanges.flatMap((exchange, index) => [
        `  ${lines[index]}`,
        ...describeReply(exchange).map((line) => `  ${write(line)}`),
      ]),
      `  ${write(nameOf(breach.at))}`,
    ].join('\n');
  };
