import type fc from 'fast-check';
import type { Operation } from '../../document/operations.ts';
import type { ValidRequest } from '../../requests/valid.ts';
import { isObject } from '../../values/json.ts';
import { idMemberOf } from '../identity.ts';
import type { Resource } from '../resources.ts';
import { Broken } from './broken.ts';
import { patchFacts, replaceFacts } from './facts.ts';
import { type Act, isDone, type Known, type World } from './world.ts';

/** Another version of a thing may be asked for, which a repeated request no longer has (RFC 9110, section 13.1.1). */
const OUTDATED = [409, 412, 428];

/** What an answer to a change says of a thing. */
const learn = ({ forget }: World, one: Known, status: number, since: string, apply: () => void): void => {
  if (isDone(status)) {
    one.since = since;
    apply();
  } else if (status === 202) forget(one);
};

const REPLACED = 'what was replaced is what is read';

const replace = async (
  world: World,
  operation: Operation,
  valid: ValidRequest,
  times: number,
): Promise<void> => {
  const [one] = world.known;
  if (!one || one.isGone) return;
  const draft = world.about(one.thing, operation, valid);
  const statuses: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const answer = await world.ask(draft, 'replacing twice is as replacing once');
    statuses.push(answer.status);
    const fact = world.factOf(valid.body);
    learn(world, one, answer.status, REPLACED, () => {
      one.facts = fact ? replaceFacts(one.facts, fact) : [];
    });
    if (answer.status === 202) return;
    const shown = isDone(answer.status)
      ? world.replies.thingIn(world.resource, operation, answer, valid.body && fact?.value)
      : undefined;
    if (fact && shown)
      world.checkFacts([fact], shown, 'the reply to a replace shows what was sent', operation);
  }
  const [first = 0, second = first] = statuses;
  if (isDone(first) && !isDone(second) && !OUTDATED.includes(second))
    throw new Broken('replacing twice is as replacing once', `first ${first}, then ${second}`, operation);
};

/** A request with every other member of its body, if that will do: random ones name nearly all members. */
const withFewerMembers = ({ session }: World, valid: ValidRequest, which: number): ValidRequest => {
  const { body } = valid;
  if (!body || body.value instanceof Uint8Array || !isObject(body.value)) return valid;
  const value = Object.fromEntries(Object.entries(body.value).filter((_, index) => index % 2 === which));
  const isValid = session.contract.request.accepts(body.content.schema, value);
  return isValid ? { ...valid, body: { ...body, value } } : valid;
};

const patch = async (world: World, operation: Operation, valid: ValidRequest): Promise<void> => {
  const [one] = world.known;
  if (!one || one.isGone) return;
  const answer = await world.ask(world.about(one.thing, operation, valid), 'a patch is answered');
  const fact = world.factOf(valid.body);
  const isMerge = valid.body?.content.mediaType.includes('merge-patch') === true;
  learn(world, one, answer.status, 'a patch changes what it says and leaves the rest', () => {
    one.facts = fact ? patchFacts(one.facts, fact, isMerge) : [];
  });
};

const remove = async (world: World, operation: Operation, times: number): Promise<void> => {
  const one = world.known[1] ?? world.known[0];
  if (!one || one.isGone) return;
  for (let time = 0; time < times; time += 1) {
    const { status } = await world.ask(world.about(one.thing, operation), 'deleting twice does not fail');
    if (isDone(status) || status === 202) one.isGone = true;
    if (status === 202) world.forget(one);
    if (!isDone(status)) return;
  }
};

/** The same request to create something, with an id that is taken or was. */
const withId = (world: World, one: Known, valid: ValidRequest): ValidRequest | undefined => {
  const { body } = valid;
  if (!one.thing.identity.isClientMade || !body || !isObject(body.value)) return undefined;
  const name = idMemberOf(world.idNames, Object.keys(body.value));
  if (name === undefined || world.resource.create.method !== 'POST') return undefined;
  return { ...valid, body: { ...body, value: { ...body.value, [name]: one.thing.identity.value } } };
};

const createAgain = async (world: World, valid: ValidRequest): Promise<void> => {
  const one = world.known.find(({ isGone }) => !isGone);
  const taken = one && withId(world, one, valid);
  if (!one || !taken) return;
  const { exchange } = await world.session.things.make(world.resource, taken, world.within);
  world.exchanges.push(exchange);
  const { status = 0 } = exchange.answer ?? {};
  if (status >= 500)
    throw new Broken(
      'an id that is taken is refused',
      `status ${status}: the service failed`,
      world.resource.create,
    );
  if (status === 202) return world.forget(one);
  // Another success says that this is an update.
  if (isDone(status) && status !== one.status) one.facts = [];
  one.since = 'the same id again does not overwrite in silence';
};

const createAfterDelete = async (world: World, valid: ValidRequest): Promise<void> => {
  const gone = world.known.find(({ isGone }) => isGone);
  const again = gone && withId(world, gone, valid);
  if (!gone || !again) return;
  const made = await world.create(again);
  if (!made) return;
  world.known.splice(world.known.indexOf(gone), 1);
  made.since = 'what was deleted can be made again';
};

/** The steps that change things. */
export const changesOf = (
  { create, replace: put, patch: change, remove: erase }: Resource,
  requestsOf: (operation: Operation) => fc.Arbitrary<ValidRequest>,
  always: (act: Act) => fc.Arbitrary<Act>,
): fc.Arbitrary<Act>[] => {
  const withData = (operation: Operation, act: (world: World, valid: ValidRequest) => Promise<void>) =>
    requestsOf(operation).map(
      (valid): Act =>
        (world) =>
          act(world, valid),
    );
  return [
    ...(put ? [1, 2].map((times) => withData(put, (world, valid) => replace(world, put, valid, times))) : []),
    ...(change
      ? [
          withData(change, (world, valid) => patch(world, change, valid)),
          ...[0, 1].map((which) =>
            withData(change, (world, valid) => patch(world, change, withFewerMembers(world, valid, which))),
          ),
        ]
      : []),
    ...(erase ? [1, 2].map((times) => always((world) => remove(world, erase, times))) : []),
    withData(create, createAgain),
    ...(erase ? [withData(create, createAfterDelete)] : []),
  ];
};
