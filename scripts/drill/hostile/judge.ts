import type { Conversation } from './conversation.ts';
import { parseReplies, readOutcome, type WireReply } from './replies.ts';
import type { HostileRequest } from './request.ts';

/** The replies to one request, and what is wrong with them. */
export interface Verdict {
  readonly kind: string;
  readonly statuses: readonly number[];
  readonly flaws: readonly string[];
}

/** Everything that was received on a connection until it closed. */
export interface Received {
  readonly bytes: Buffer;
  /** The code of the error that ended the connection. */
  readonly broke?: string | undefined;
  /** Whether the service left the connection open for too long. */
  readonly hangs?: boolean;
}

const judgeReply = (request: HostileRequest, reply: WireReply): string | undefined => {
  const read = readOutcome(reply);
  if ('flaw' in read) return read.flaw;
  const { outcome, body } = read;
  const { expects, plant } = request;
  if (expects.length > 0 && !expects.includes(outcome))
    return `${outcome}, where only ${expects.join(' or ')} is right`;
  const isAnother = plant && (body.name !== plant.name || body.tag !== plant.tag);
  return outcome === 200 && isAnother ? 'a 200 with another plant than was sent' : undefined;
};

const present = <T>(...list: (T | undefined)[]): T[] =>
  list.flatMap((each) => (each === undefined ? [] : [each]));

/** A server ignores empty lines before a request (RFC 9112, section 2.2), so empty lines alone get no reply. */
const needsAnswer = ({ bytes }: HostileRequest): boolean =>
  bytes.some((byte) => byte !== 0x0d && byte !== 0x0a);

/** Compares what was received with what was sent, request by request. */
export const judge = (conversation: Conversation, { bytes, broke, hangs }: Received): Verdict[] => {
  const { framed, last, cuts } = conversation;
  const { replies, flaw } = parseReplies(bytes);
  const closedAt = replies.findIndex(({ headers }) => headers.get('connection') === 'close');
  const verdicts = framed.map((request, index): Verdict => {
    const reply = replies[index];
    if (!reply) return { kind: request.kind, statuses: [], flaws: ['no answer'] };
    return { kind: request.kind, statuses: [reply.status], flaws: present(judgeReply(request, reply)) };
  });
  // A client that asks for the connection to be closed, and goes on sending, may get a broken connection.
  const isClientsFault = cuts.length > 0 && closedAt >= 0;
  const rest = replies.slice(framed.length);
  const overall = present(
    hangs ? 'the connection hangs' : undefined,
    broke === undefined || isClientsFault ? undefined : `the connection broke: ${broke}`,
    flaw,
    closedAt >= 0 && closedAt < replies.length - 1 ? 'a reply after Connection: close' : undefined,
  );
  if (!last) {
    const flaws = present(rest.length > 0 ? 'more answers than requests' : undefined).concat(overall);
    return flaws.length === 0 ? verdicts : [...verdicts, { kind: 'connection', statuses: [], flaws }];
  }
  const [first, ...more] = rest;
  const flaws = present(
    ...overall,
    first ? judgeReply(last, first) : needsAnswer(last) ? 'no answer' : undefined,
    last.expects.length > 0 && more.length > 0 ? 'more answers than requests' : undefined,
    ...more.map((reply) => judgeReply({ ...last, expects: [] }, reply)),
  );
  return [...verdicts, { kind: last.kind, statuses: rest.map(({ status }) => status), flaws }];
};
