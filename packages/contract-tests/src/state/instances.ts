import { textOf } from '@trellis/openapi/internal/http';
import type { Operation } from '../document/operations.ts';
import { isStub } from '../requests/call.ts';
import type { ValidRequest } from '../requests/valid.ts';
import { idMemberOf } from '../resources/identity.ts';
import type { Instance } from '../resources/instances.ts';
import {
  afterReplace,
  BrokenPromise,
  check,
  expectationOf,
  filledIn,
  Inconclusive,
  isMarkedDeleted,
  membersOf,
} from './expectations.ts';
import { isDone, type Model, type Tracked } from './model.ts';
import type { Shown } from './reply-reader.ts';

/** Whether a POST returned an existing thing: it declares 201 for new ones (RFC 9110, section 9.3.3). */
const hasFound = ({ method, replies }: Operation, status: number): boolean =>
  method === 'POST' && status !== 201 && replies.has('201');

/** Checks that an id chosen by the client is exact. */
const checkSentId = (
  { idNames }: Model,
  body: ValidRequest['body'],
  { identity, resource }: Instance,
): void => {
  const members = membersOf(body) ?? {};
  const sentId = members[idMemberOf(idNames, Object.keys(members)) ?? ''];
  if (typeof sentId !== 'number' && typeof sentId !== 'bigint') return;
  if (identity.isClientMade || Number(sentId) !== Number(identity.value)) return;
  const what = `the id is ${textOf(identity.value)}, not ${textOf(sentId)}`;
  throw new BrokenPromise('an id keeps all digits', what, resource.create);
};

/** Checks that a reply shows the requested instance. */
const checkId = (
  { idNames }: Model,
  { identity }: Instance,
  { idMember, members }: Shown,
  read: Operation,
) => {
  const got = idMember === undefined ? undefined : members[idMember];
  if (idMember === undefined || got === undefined || got === null) return;
  const isThatId =
    idMember === identity.path?.at(-1) || idMemberOf(idNames.slice(0, 1), [idMember]) !== undefined;
  const wanted = textOf(identity.value);
  if (!isThatId || textOf(got).toLowerCase() === wanted.toLowerCase()) return;
  const what = `${idMember} is ${textOf(got)}, not ${wanted}`;
  throw new BrokenPromise('a read returns the requested thing', what, read);
};

/** Creates an instance and tracks it, unless the service created none that can be identified. */
export const createInstance = async (model: Model, valid: ValidRequest): Promise<void> => {
  const { session, resource, within, tracked, idNames } = model;
  const operation = resource.create;
  const { exchange, instance } = await session.instances.create(resource, valid, within);
  model.exchanges.push(exchange);
  const { reply } = exchange;
  if (!reply || reply.status >= 500 || isStub(reply)) throw new Inconclusive('a create was not served');
  if (!instance || hasFound(operation, reply.status)) return;
  const id = textOf(instance.identity.value);
  const twin = tracked.find((each) => !each.isGone && textOf(each.instance.identity.value) === id);
  if (twin && !instance.identity.isClientMade)
    throw new BrokenPromise('two creates return different ids', `both return ${id}`, operation);
  const sent = expectationOf(idNames, valid.body);
  if (twin) {
    if (operation.method === 'PUT') twin.expected = sent ? afterReplace(twin.expected, sent) : [];
    return;
  }
  checkSentId(model, valid.body, instance);
  const shown = model.shownIn(operation, reply, instance.sent);
  if (sent && shown)
    check(model.contract, [sent], shown, 'the reply to a create shows the data sent', operation);
  const expected = sent ? [sent, ...(shown ? [filledIn(shown, sent)] : [])] : [];
  const promise = 'a created thing is read back unchanged';
  const one = { instance, status: reply.status, expected, isGone: false, promise };
  tracked.push(one);
  model.created.push(one);
};

/** Reads an instance and compares it with the expectations. */
export const checkInstance = async (model: Model, one: Tracked, promise = one.promise): Promise<void> => {
  const { read } = model.resource;
  if (!read) return;
  const reply = await model.ask(model.about(one.instance, read), promise);
  const { status } = reply;
  const shown = model.shownIn(read, reply, one.instance.sent);
  if (one.isGone) {
    if (isDone(status) && !(shown && isMarkedDeleted(shown)))
      throw new BrokenPromise('a deleted thing cannot be read', `status ${status}`, read);
    return;
  }
  if (status === 404 || status === 410) {
    const isAnother = promise === one.promise && model.tracked.some(({ isGone }) => isGone);
    const broken = isAnother ? 'a delete leaves other things alone' : promise;
    throw new BrokenPromise(broken, `status ${status}: it does not exist`, read);
  }
  if (!shown) return;
  checkId(model, one.instance, shown, read);
  check(model.contract, one.expected, shown, promise, read);
};
