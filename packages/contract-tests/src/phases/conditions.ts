import type { Operation } from '../document/operations.ts';
import { attempt, withFields } from '../http/attempt.ts';
import { conditionsBeside, isStrong, rangesBeside, staleOf, tagOf } from '../http/conditions.ts';
import { isSuccess } from '../http/rule.ts';
import { type Call, type Exchange, isStub, type Reply } from '../requests/call.ts';
import type { Session } from '../session.ts';
import type { Collector, Sample } from './collector.ts';

const takesField = ({ parameters }: Operation, name: string): boolean =>
  parameters.some((each) => each.in === 'header' && each.name.toLowerCase() === name);

const givesField = ({ replies }: Operation, name: string): boolean =>
  [...replies].some(
    ([status, { headers }]) =>
      status.startsWith('2') && headers.some((each) => each.name.toLowerCase() === name),
  );

/** Whether an operation declares range requests. */
export const hasRanges = (operation: Operation): boolean =>
  operation.method === 'GET' &&
  (operation.replies.has('206') || givesField(operation, 'accept-ranges') || takesField(operation, 'range'));

/** Whether an operation declares entity tags. */
export const hasTags = (operation: Operation): boolean =>
  operation.method === 'GET' && (operation.replies.has('304') || givesField(operation, 'etag'));

/** Whether an operation declares a precondition that protects concurrent changes. */
export const isGuarded = (operation: Operation): boolean =>
  ['PUT', 'PATCH', 'DELETE'].includes(operation.method) &&
  (operation.replies.has('412') || takesField(operation, 'if-match'));

const isSame = (one: Reply, other: Reply | undefined): boolean =>
  one.status === other?.status && tagOf(one) === tagOf(other) && one.body.equals(other.body);

const after = (call: Call, ...exchanges: readonly Exchange[]): Call => ({
  ...call,
  before: [...(call.before ?? []), ...exchanges],
});

/** The GET of the thing that another request is about. */
const readingOf = ({ call: { before: _, ...call } }: Sample, about: Call): Call => {
  const values = new Map([...about.parameters].map(([each, value]) => [`${each.in} ${each.name}`, value]));
  const parameters = [...call.parameters].map(
    ([each, value]) => [each, values.get(`${each.in} ${each.name}`) ?? value] as const,
  );
  return { ...call, parameters: new Map(parameters), ...(about.before && { before: about.before }) };
};

/** Sends a GET twice; returns undefined unless both replies are the same. */
const readTwice = async ({ ask, note }: Collector, call: Call): Promise<Reply | undefined> => {
  const { reply } = await ask('GET', call);
  const isEncoded = reply?.headers['content-encoding'] !== undefined;
  if (reply?.status !== 200 || isStub(reply) || isEncoded || reply.stream?.isOpen) return undefined;
  if (isSame(reply, (await ask('GET', call)).reply)) return reply;
  note(`${call.operation.id}: ranges and conditions are not checked, because each reply is another one`);
  return undefined;
};

/** Sends range requests and conditional GETs (RFC 9110, sections 13 and 14). */
export const tryReads = async (collector: Collector, { operation, call }: Sample): Promise<void> => {
  const whole = await readTwice(collector, call);
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
    const asked = withFields(after(call, { call, reply: whole }), fields);
    const probe = attempt(name, asked, (reply) =>
      reply.status === 429 || isStub(reply) ? undefined : faultOf(reply),
    );
    if ((await collector.sendAndReport(probe))?.status === 206) parts += 1;
  }
  if (operation.replies.has('206') && whole.body.length > 1 && parts === 0)
    collector.note(`${operation.id}: declares 206, and sends the whole for every range`);
};

/** Sends a change with a stale ETag, which must be rejected and change nothing, then with the current ETag. */
export const tryGuard = async (
  { callOf }: Session,
  collector: Collector,
  { operation, valid, others }: Sample,
  get: Sample,
): Promise<void> => {
  const { ask, report } = collector;
  const fail = (name: string, call: Call, reply: Reply, what: string): void =>
    report(name, call, { reply, breach: { what, at: operation.at } });
  for (const each of [valid, ...others]) {
    const call = await callOf(operation, each);
    const reading = readingOf(get, call);
    const whole = await readTwice(collector, reading);
    const tag = whole && tagOf(whole);
    if (!whole || tag === undefined) continue;
    const read = { call: reading, reply: whole };
    const guarded = (tags: string): Call => withFields(after(call, read), { 'If-Match': tags });

    const name = 'If-Match with an ETag that is not the current one';
    const stale = guarded(staleOf(tag));
    const judged = await ask(name, stale);
    const { reply, breach } = judged;
    if (breach || !reply) return report(name, stale, judged);
    if (isStub(reply)) return;
    if (isSuccess(reply)) return fail(name, stale, reply, `expected 412, got ${reply.status}`);
    const again = (await ask('GET', reading)).reply;
    const what = `a change that was refused with ${reply.status} was made`;
    if (again && !isSame(whole, again))
      return fail(name, after(reading, read, { call: stale, reply }), again, what);
    const current = guarded(tag);
    const right = (await ask('If-Match with the current ETag', current)).reply;
    if (isStrong(tag) && right?.status === 412)
      fail('If-Match with the current ETag', current, right, 'a valid request was refused with 412');
    return;
  }
};
