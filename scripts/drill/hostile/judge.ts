import type { NewPlant } from '../../../src/plants/plant.ts';
import { parseReplies, type WireReply } from '../replies.ts';
import type { Conversation, Received } from './conversation.ts';
import type { HostileRequest } from './requests.ts';

/** The errors that a request can be refused with. The drill has its own list, so that a mistake in the service's is found. */
const CODES: readonly number[] = [
  40001, 40002, 40003, 40101, 40102, 40401, 40501, 40801, 40901, 41301, 41501, 43101,
];

/** The header field that a status requires (RFC 9110, sections 11.6.1, 10.2.1). */
const REQUIRED_FIELDS = new Map([
  [401, 'www-authenticate'],
  [405, 'allow'],
]);

type Body = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses a JSON object. Returns an empty one, which is never right, for anything else. */
const parseObject = (text: string): Body => {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
};

const hasOnly = (body: Body, ...names: string[]): boolean =>
  Object.keys(body).every((name) => names.includes(name));

const isPlant = (body: Body): boolean =>
  hasOnly(body, 'name', 'tag') &&
  typeof body.name === 'string' &&
  (!Object.hasOwn(body, 'tag') || typeof body.tag === 'string');

const isError = (body: Body): boolean =>
  hasOnly(body, 'error', 'message') && typeof body.message === 'string' && body.message !== '';

/** Reads what a reply says, which is 200 or the number of an error, or what is wrong with it. */
const readOutcome = ({
  status,
  headers,
  text,
}: WireReply): { readonly outcome: number; readonly body: Body } | { readonly flaw: string } => {
  if (status >= 500) return { flaw: `status ${status}` };
  if (headers.get('content-type') !== 'application/json')
    return { flaw: 'a reply that is not application/json' };
  const body = parseObject(text);
  if (status === 200) return isPlant(body) ? { outcome: 200, body } : { flaw: 'a 200 that is no Plant' };
  if (status < 400) return { flaw: `status ${status}` };
  if (!isError(body)) return { flaw: 'a refusal that is no Error' };
  const { error: outcome } = body;
  if (typeof outcome !== 'number' || !CODES.includes(outcome) || Math.floor(outcome / 100) !== status)
    return { flaw: `error ${outcome} does not go with status ${status}` };
  const required = REQUIRED_FIELDS.get(status);
  return required && !headers.get(required) ? { flaw: `a ${status} without ${required}` } : { outcome, body };
};

/** The replies to one request, and what is wrong with them. */
export interface Verdict {
  readonly kind: string;
  readonly statuses: readonly number[];
  readonly flaws: readonly string[];
  /** The plant that was acknowledged. */
  readonly plant?: NewPlant | undefined;
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
    const { kind, plant } = request;
    const { status } = reply;
    const flaws = present(judgeReply(request, reply));
    return { kind, statuses: [status], flaws, plant: status === 200 ? plant : undefined };
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
