import type { Operation } from '../document/operations.ts';
import { withFields } from '../http/attempt.ts';
import { conditionsBeside, isStrong, staleOf, tagOf } from '../http/conditions.ts';
import { rangesBeside } from '../http/ranges.ts';
import { isSuccess } from '../http/rule.ts';
import { type Draft, type Exchange, isStub, type Reply } from '../requests/draft.ts';
import type { Session } from '../session.ts';
import type { Findings } from './findings.ts';
import type { Sample } from './samples.ts';

const takesField = ({ parameters }: Operation, name: string): boolean =>
  parameters.some((each) => each.in === 'header' && each.name.toLowerCase() === name);

const givesField = ({ replies }: Operation, name: string): boolean =>
  [...replies].some(
    ([status, { headers }]) =>
      status.startsWith('2') && headers.some((each) => each.name.toLowerCase() === name),
  );

/** Whether an operation promises parts of its reply. */
export const hasRanges = (operation: Operation): boolean =>
  operation.method === 'GET' &&
  (operation.replies.has('206') || givesField(operation, 'accept-ranges') || takesField(operation, 'range'));

/** Whether an operation names the version of what it sends. */
export const hasTags = (operation: Operation): boolean =>
  operation.method === 'GET' && (operation.replies.has('304') || givesField(operation, 'etag'));

/** Whether an operation promises to refuse a change to what somebody else has changed. */
export const isGuarded = (operation: Operation): boolean =>
  ['PUT', 'PATCH', 'DELETE'].includes(operation.method) &&
  (operation.replies.has('412') || takesField(operation, 'if-match'));

const isSame = (one: Reply, other: Reply | undefined): boolean =>
  one.status === other?.status && tagOf(one) === tagOf(other) && one.body.equals(other.body);

/** A draft after more exchanges. */
const after = (draft: Draft, ...exchanges: readonly Exchange[]): Draft => ({
  ...draft,
  before: [...(draft.before ?? []), ...exchanges],
});

/** The request that reads what another request is about. */
const readingOf = ({ draft: { before: _, ...draft } }: Sample, about: Draft): Draft => {
  const values = new Map([...about.parameters].map(([each, value]) => [`${each.in} ${each.name}`, value]));
  const parameters = [...draft.parameters].map(
    ([each, value]) => [each, values.get(`${each.in} ${each.name}`) ?? value] as const,
  );
  return { ...draft, parameters: new Map(parameters), ...(about.before && { before: about.before }) };
};

/** Makes the checks of ranges and of conditions (RFC 9110, sections 13 and 14). */
export const createConditionChecks = ({ draftOf }: Session, { ask, report, note }: Findings) => {
  /** Reads something twice; `undefined` if that cannot be compared. */
  const readTwice = async (draft: Draft): Promise<Reply | undefined> => {
    const { reply } = await ask('GET', draft);
    const isEncoded = reply?.headers['content-encoding'] !== undefined;
    if (reply?.status !== 200 || isStub(reply) || isEncoded || reply.stream?.isOpen) return undefined;
    if (isSame(reply, (await ask('GET', draft)).reply)) return reply;
    note(`${draft.operation.id}: ranges and conditions are not checked, because each reply is another one`);
    return undefined;
  };

  /** Asks for parts, and for what has changed. */
  const tryReads = async ({ operation, draft }: Sample): Promise<void> => {
    const whole = await readTwice(draft);
    if (!whole) return;
    const tag = tagOf(whole);
    const isPromised = operation.replies.has('304') || takesField(operation, 'if-none-match');
    const comparisons = [
      ...(hasRanges(operation) && whole.headers['accept-ranges'] !== 'none' ? rangesBeside(whole) : []),
      ...(tag === undefined ? [] : conditionsBeside(tag, isPromised)),
    ];
    let parts = 0;
    for (const { fields, faultOf } of comparisons) {
      const name = Object.entries(fields)
        .map(([field, value]) => `${field}: ${value}`)
        .join(', ');
      const asked = withFields(after(draft, { draft, reply: whole }), fields);
      const verdict = await ask(name, asked);
      const { reply, breach } = verdict;
      if (reply?.status === 206) parts += 1;
      const isJudged = reply && reply.status !== 429 && !isStub(reply);
      const what = isJudged ? faultOf(reply) : undefined;
      if (breach) report(name, asked, verdict);
      else if (what !== undefined) report(name, asked, { reply, breach: { what, at: operation.at } });
    }
    if (operation.replies.has('206') && whole.body.length > 1 && parts === 0)
      note(`${operation.id}: declares 206, and sends the whole for every range`);
  };

  /** Sends a change with an outdated ETag, which must be refused and change nothing, then with the current one. */
  const tryGuard = async ({ operation, valid, others }: Sample, get: Sample): Promise<void> => {
    for (const each of [valid, ...others]) {
      const draft = await draftOf(operation, each);
      const reading = readingOf(get, draft);
      const whole = await readTwice(reading);
      const tag = whole && tagOf(whole);
      if (!whole || tag === undefined) continue;
      const guarded = (tags: string): Draft =>
        withFields(after(draft, { draft: reading, reply: whole }), { 'If-Match': tags });
      const tell = (name: string, asked: Draft, reply: Reply, what: string): void =>
        report(name, asked, { reply, breach: { what, at: operation.at } });

      const name = 'If-Match with an ETag that is not the current one';
      const stale = guarded(staleOf(tag));
      const verdict = await ask(name, stale);
      const { reply, breach } = verdict;
      if (breach || !reply) return report(name, stale, verdict);
      if (isStub(reply)) return;
      if (isSuccess(reply)) return tell(name, stale, reply, `expected 412, got ${reply.status}`);
      const again = (await ask('GET', reading)).reply;
      if (again && !isSame(whole, again)) {
        const last = after(reading, { draft: reading, reply: whole }, { draft: stale, reply });
        return tell(name, last, again, `a change that was refused with ${reply.status} was made`);
      }
      const current = guarded(tag);
      const right = (await ask('If-Match with the current ETag', current)).reply;
      if (isStrong(tag) && right?.status === 412)
        tell('If-Match with the current ETag', current, right, 'a valid request was refused with 412');
      return;
    }
  };

  return { tryReads, tryGuard };
};
