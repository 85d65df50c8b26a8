import { STATUS_CODES } from 'node:http';
import type { Contract } from '../document/contract.ts';
import { type Operation, replyFor } from '../document/operations.ts';
import type { Breach, Exchange, WireRequest } from '../requests/draft.ts';
import type { Probe } from '../requests/probe.ts';
import { toScript } from './curl.ts';
import type { Verdict } from './send.ts';

/** A wrong reply, with as few and as small requests as show it. */
export interface Failure {
  /** What was sent, or done: `query.limit above 100`. */
  readonly name: string;
  /** The requests in their order. The last one got the wrong reply. */
  readonly exchanges: readonly Exchange[];
  readonly breach: Breach;
}

/** The failure that a verdict on a probe tells of, with what was sent before; `undefined` if nothing is wrong. */
export const failureOf = (
  { name, draft }: Pick<Probe, 'name' | 'draft'>,
  { reply, breach }: Verdict,
): Failure | undefined => breach && { name, exchanges: [...(draft.before ?? []), { draft, reply }], breach };

/** The operation whose reply is wrong. */
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
];
const LONGEST = 1000;

const shorten = (text: string): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters)` : text;

const describeReply = ({ draft, reply }: Exchange): string[] => {
  if (!reply) return ['no answer'];
  const declared = replyFor(draft.operation, reply.status)?.headers ?? [];
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

/** Lines that are no command become comments, so that the whole can be pasted. */
const asComment = (line: string): string => `# ${line.replaceAll('\n', '\n# ')}`;

/** Makes a function that describes a failure: what is wrong, the requests as curl, their replies, the place in the contract. */
export const createTell =
  (
    { nameOf }: Pick<Contract, 'nameOf'>,
    url: string,
    /** Sent with every request. */
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
