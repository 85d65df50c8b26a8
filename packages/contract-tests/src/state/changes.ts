import fc from 'fast-check';
import type { Operation } from '../document/operations.ts';
import type { ValidRequest } from '../requests/valid.ts';
import { idMemberOf } from '../resources/identity.ts';
import type { Resource } from '../resources/resources.ts';
import { isObject, present } from '../values/json.ts';
import { afterPatch, afterReplace, BrokenPromise, check, expectationOf } from './expectations.ts';
import { isDone, type Model, type Step, stepWith, type Tracked } from './model.ts';
import type { Shown } from './reply-reader.ts';

/** Statuses of a repeated request whose precondition no longer holds (RFC 9110, section 13.1.1). */
const OUTDATED = [409, 412, 428];

/** Updates the expectations after a change. */
const learn = (model: Model, one: Tracked, status: number, promise: string, apply: () => void): void => {
  if (isDone(status)) {
    one.promise = promise;
    apply();
  } else if (status === 202) model.forget(one);
};

/** Follows a thing whose id changed with its data, as the slug of an article follows its title. */
const follow = (one: Tracked, shown: Shown | undefined): void => {
  const { instance } = one;
  const { value, path, isClientMade } = instance.identity;
  const isOwnId = shown?.idMember !== undefined && shown.idMember === path?.at(-1);
  const id = isOwnId && !isClientMade && typeof value === 'string' ? shown.id : undefined;
  if (id === undefined || id === value) return;
  const ids = [...instance.ids.slice(0, -1), id];
  one.instance = { ...instance, ids, identity: { ...instance.identity, value: id } };
};

const replace = async (model: Model, operation: Operation, valid: ValidRequest, times: number) => {
  const promise = 'replacing twice is the same as replacing once';
  const [one] = model.tracked;
  if (!one || one.isGone) return;
  const sent = expectationOf(model.idNames, valid.body);
  const statuses: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const reply = await model.ask(model.about(one.instance, operation, valid), promise);
    statuses.push(reply.status);
    learn(model, one, reply.status, 'a replaced thing is read back unchanged', () => {
      one.expected = sent ? afterReplace(one.expected, sent) : [];
    });
    if (reply.status === 202) return;
    const shown = model.shownIn(operation, reply, valid.body && sent?.value);
    if (sent && shown)
      check(model.contract, [sent], shown, 'the reply to a replace shows the data sent', operation);
    follow(one, shown);
  }
  const [first = 0, second = first] = statuses;
  if (isDone(first) && !isDone(second) && !OUTDATED.includes(second))
    throw new BrokenPromise(promise, `first ${first}, then ${second}`, operation);
};

/** Keeps every second member of a body, if that is valid: random bodies have nearly all members. */
const withFewerMembers = ({ session }: Model, valid: ValidRequest, which: number): ValidRequest => {
  const { body } = valid;
  if (!body || body.value instanceof Uint8Array || !isObject(body.value)) return valid;
  const value = Object.fromEntries(Object.entries(body.value).filter((_, index) => index % 2 === which));
  const isValid = session.contract.request.accepts(body.content.schema, value);
  return isValid ? { ...valid, body: { ...body, value } } : valid;
};

const patch = async (model: Model, operation: Operation, valid: ValidRequest): Promise<void> => {
  const [one] = model.tracked;
  if (!one || one.isGone) return;
  const reply = await model.ask(model.about(one.instance, operation, valid), 'a patch is answered');
  const sent = expectationOf(model.idNames, valid.body);
  const isMerge = valid.body?.content.mediaType.includes('merge-patch') === true;
  learn(model, one, reply.status, 'a patch changes only the members it names', () => {
    one.expected = sent ? afterPatch(one.expected, sent, isMerge) : [];
  });
  follow(one, model.shownIn(operation, reply, valid.body && sent?.value));
};

const remove = async (model: Model, operation: Operation, times: number): Promise<void> => {
  const one = model.tracked[1] ?? model.tracked[0];
  if (!one || one.isGone) return;
  for (let time = 0; time < times; time += 1) {
    const { status } = await model.ask(model.about(one.instance, operation), 'deleting twice does not fail');
    if (isDone(status) || status === 202) one.isGone = true;
    if (status === 202) model.forget(one);
    if (!isDone(status)) return;
  }
};

const withId = (model: Model, { instance }: Tracked, valid: ValidRequest): ValidRequest | undefined => {
  const { body } = valid;
  const { isClientMade, value } = instance.identity;
  if (!isClientMade || !body || !isObject(body.value)) return undefined;
  const name = idMemberOf(model.idNames, Object.keys(body.value));
  if (name === undefined || model.resource.create.method !== 'POST') return undefined;
  return { ...valid, body: { ...body, value: { ...body.value, [name]: value } } };
};

const createAgain = async (model: Model, valid: ValidRequest): Promise<void> => {
  const { resource, session, within, tracked } = model;
  const one = tracked.find(({ isGone }) => !isGone);
  const taken = one && withId(model, one, valid);
  if (!one || !taken) return;
  const { exchange } = await session.instances.create(resource, taken, within);
  model.exchanges.push(exchange);
  const { status = 0 } = exchange.reply ?? {};
  if (status >= 500) {
    const what = `status ${status}: the service failed`;
    throw new BrokenPromise('a create with a taken id does not fail', what, resource.create);
  }
  if (status === 202) return model.forget(one);
  // Another success status means an update.
  if (isDone(status) && status !== one.status) one.expected = [];
  one.promise = 'a create with a taken id does not overwrite silently';
};

/** Steps that change instances. */
export const changesOf = (
  { create, replace: put, patch: change, remove: erase }: Resource,
  requestsOf: (operation: Operation) => fc.Arbitrary<ValidRequest>,
): fc.Arbitrary<Step>[] => {
  const onceOrTwice = fc.integer({ min: 1, max: 2 });
  return present(
    put &&
      stepWith(fc.tuple(requestsOf(put), onceOrTwice), (model, [valid, times]) =>
        replace(model, put, valid, times),
      ),
    change &&
      stepWith(fc.tuple(requestsOf(change), fc.option(fc.nat(1))), (model, [valid, which]) =>
        patch(model, change, which === null ? valid : withFewerMembers(model, valid, which)),
      ),
    erase && stepWith(onceOrTwice, (model, times) => remove(model, erase, times)),
    stepWith(requestsOf(create), createAgain),
  );
};
