import { covers } from '@trellis/openapi/internal/http';
import fc from 'fast-check';
import { isSecured, type Operation } from '../document/operations.ts';
import { writeBody } from '../requests/bodies.ts';
import type { Call } from '../requests/call.ts';
import type { ValidRequest } from '../requests/valid.ts';
import type { Resource } from '../resources/resources.ts';
import { identityOf, type Json, present } from '../values/json.ts';
import { BrokenPromise } from './expectations.ts';
import { checkInstance } from './instances.ts';
import { idsIn } from './lists.ts';
import { isDone, type Model, type Step, stepWith } from './model.ts';

type MakeInvalid = (model: Model, call: Call, valid: ValidRequest) => Call | undefined;

const withoutCredentials: MakeInvalid = (_model, call) =>
  isSecured(call.operation) ? { ...call, credentials: [] } : undefined;

const withBrokenBody =
  (which: number): MakeInvalid =>
  ({ contract }, call, { body }) => {
    if (body?.content.kind !== 'json' || body.value instanceof Uint8Array) return undefined;
    const violations = contract.request.violationsOf(body.content.schema, body.value);
    const chosen = violations[which % Math.max(violations.length, 1)];
    const written = chosen && writeBody(contract.request, body.content, chosen.value);
    return written && { ...call, body: written };
  };

const FOREIGN = 'application/x-unknown';

const withForeignType: MakeInvalid = (_model, call) => {
  const { body } = call;
  const isTaken = call.operation.body?.contents.some(({ mediaType }) => covers(mediaType, FOREIGN));
  return body && !isTaken ? { ...call, body: { ...body, contentType: FOREIGN } } : undefined;
};

const isRefused = (status: number): boolean => [400, 401, 403, 415, 422].includes(status);

const CREATE = 'a rejected create stores nothing';

/** Sends an invalid request; returns the status that refuses it. */
const statusOf = async (model: Model, call: Call, promise: string): Promise<number> =>
  (await model.ask(call, promise, call.credentials.length === 0 ? 401 : 400)).status;

/** Sends an invalid request made from a valid one, and checks that nothing has changed. */
type Check = (model: Model, valid: ValidRequest, makeInvalid: MakeInvalid) => Promise<void>;

const createRejected: Check = async (model, valid, makeInvalid) => {
  const { resource, session, within } = model;
  const { list, create } = resource;
  const good = session.instances.callAt(within, create, valid);
  const call = list && makeInvalid(model, good, valid);
  if (!list || !call) return;
  const before = await model.listAll(CREATE);
  const status = await statusOf(model, call, CREATE);
  if (!isRefused(status) || !before?.isWhole) return;
  const after = await model.listAll(CREATE);
  if (!after?.isWhole) return;
  const old = new Set(idsIn(before));
  const added = idsIn(after).find((id) => !old.has(id));
  if (added !== undefined) throw new BrokenPromise(CREATE, `the list has ${added} after the ${status}`, list);
  const totals = `the total is ${after.total}, not ${before.total}, after the ${status}`;
  if (before.total !== undefined && after.total !== undefined && before.total !== after.total)
    throw new BrokenPromise(CREATE, totals, list);
};

/** Reads the thing itself, if the client chose its id. */
const createRejectedById: Check = async (model, valid, makeInvalid) => {
  const { resource, session, within } = model;
  const { create, read } = resource;
  const [one] = model.tracked;
  const good = session.instances.callAt(within, create, valid);
  const call = makeInvalid(model, good, valid);
  const id = one?.instance.identity.isClientMade ? session.instances.sentIdOf(resource, good) : undefined;
  if (!call || !read || !one || id === undefined) return;
  const place: Json[] = [...one.instance.ids.slice(0, -1), id];
  if (model.tracked.some(({ instance }) => identityOf(instance.ids) === identityOf(place))) return;
  const identity = { ...one.instance.identity, value: id };
  const target = model.about({ ...one.instance, ids: place, identity }, read);
  if (isDone((await model.ask(target, CREATE)).status)) return;
  const status = await statusOf(model, call, CREATE);
  if (!isRefused(status)) return;
  const after = await model.ask(target, CREATE);
  if (isDone(after.status)) throw new BrokenPromise(CREATE, `it can be read after the ${status}`, read);
};

const CHANGE = 'a rejected request changes nothing';

const changeRejected =
  (operation: Operation): Check =>
  async (model, valid, makeInvalid) => {
    const [one] = model.tracked;
    const call = one && makeInvalid(model, model.about(one.instance, operation, valid), valid);
    if (!one || one.isGone || !call) return;
    await checkInstance(model, one);
    const status = await statusOf(model, call, CHANGE);
    if (isRefused(status)) await checkInstance(model, one, CHANGE);
    else if (status === 202) model.forget(one);
    else if (isDone(status)) {
      // Other phases report that it was accepted.
      one.expected = [];
      one.isGone = operation.method === 'DELETE';
    }
  };

/** Steps that must be rejected and change nothing. */
export const refusalsOf = (
  { create, replace, patch, remove }: Resource,
  requestsOf: (operation: Operation) => fc.Arbitrary<ValidRequest>,
): fc.Arbitrary<Step>[] => {
  const faults = fc.oneof(
    { arbitrary: fc.nat({ max: 999 }).map(withBrokenBody), weight: 3 },
    { arbitrary: fc.constant(withForeignType), weight: 1 },
    { arbitrary: fc.constant(withoutCredentials), weight: 4 },
  );
  const stepOn = (operation: Operation, check: Check) =>
    stepWith(fc.tuple(requestsOf(operation), faults), (model, [valid, by]) => check(model, valid, by));
  return [
    stepOn(create, createRejected),
    stepOn(create, createRejectedById),
    ...present(replace, patch, remove).map((operation) => stepOn(operation, changeRejected(operation))),
  ];
};
