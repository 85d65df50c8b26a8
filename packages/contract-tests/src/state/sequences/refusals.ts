import { covers } from '@trellis/openapi/http';
import fc from 'fast-check';
import { isSecured, type Operation } from '../../document/operations.ts';
import type { Draft } from '../../requests/draft.ts';
import type { ValidRequest } from '../../requests/valid.ts';
import type { Resource } from '../../resources/resources.ts';
import { identityOf, type Json } from '../../values/json.ts';
import { BrokenPromise } from './expectations.ts';
import { idsIn } from './lists.ts';
import { isDone, type Model, type Step, stepWith } from './model.ts';

/** How a request is spoiled. */
type Spoil = (model: Model, draft: Draft, valid: ValidRequest) => Draft | undefined;

const withoutCredentials: Spoil = (_model, draft) =>
  isSecured(draft.operation) ? { ...draft, credentials: [] } : undefined;

const withBrokenBody =
  (which: number): Spoil =>
  ({ session: { contract, bodies } }, draft, { body }) => {
    if (body?.content.kind !== 'json' || body.value instanceof Uint8Array) return undefined;
    const violations = contract.request.violationsOf(body.content.schema, body.value);
    const chosen = violations[which % Math.max(violations.length, 1)];
    const written = chosen && bodies.write(body.content, chosen.value);
    return written && { ...draft, body: written };
  };

const FOREIGN = 'application/x-unknown';

const withForeignType: Spoil = (_model, draft) => {
  const { body } = draft;
  const isTaken = draft.operation.body?.contents.some(({ mediaType }) => covers(mediaType, FOREIGN));
  return body && !isTaken ? { ...draft, body: { ...body, contentType: FOREIGN } } : undefined;
};

const isRefused = (status: number): boolean => [400, 401, 403, 415, 422].includes(status);

const CREATE = 'a refused create stores nothing';

const refuseCreate = async (model: Model, valid: ValidRequest, spoil: Spoil): Promise<void> => {
  const { resource, session, within } = model;
  const { list, create } = resource;
  const good = session.instances.draftAt(within, create, valid);
  const draft = list && spoil(model, good, valid);
  if (!list || !draft) return;
  const before = await model.listAll(CREATE);
  const { status } = await model.ask(draft, CREATE, draft.credentials.length === 0 ? 401 : 400);
  if (!isRefused(status) || !before?.isWhole) return;
  const after = await model.listAll(CREATE);
  if (!after?.isWhole) return;
  const old = new Set(idsIn(before));
  const added = idsIn(after).find((id) => !old.has(id));
  if (added !== undefined)
    throw new BrokenPromise(CREATE, `the list has ${added} after the refusal with ${status}`, list);
  if (before.total !== undefined && after.total !== undefined && before.total !== after.total)
    throw new BrokenPromise(
      CREATE,
      `the total is ${after.total}, not ${before.total}, after the refusal with ${status}`,
      list,
    );
};

/** With an id that the client chose, the thing itself can be asked for. */
const refuseCreateById = async (model: Model, valid: ValidRequest, spoil: Spoil): Promise<void> => {
  const { resource, session, within } = model;
  const { create, read } = resource;
  const [one] = model.tracked;
  const good = session.instances.draftAt(within, create, valid);
  const draft = spoil(model, good, valid);
  const id = one?.instance.identity.isClientMade ? session.instances.sentIdOf(resource, good) : undefined;
  if (!draft || !read || !one || id === undefined) return;
  const place: Json[] = [...one.instance.ids.slice(0, -1), id];
  if (model.tracked.some(({ instance }) => identityOf(instance.ids) === identityOf(place))) return;
  const target = model.about(
    { ...one.instance, ids: place, identity: { ...one.instance.identity, value: id } },
    read,
  );
  if (isDone((await model.ask(target, CREATE)).status)) return;
  const { status } = await model.ask(draft, CREATE, draft.credentials.length === 0 ? 401 : 400);
  if (!isRefused(status)) return;
  const after = await model.ask(target, CREATE);
  if (isDone(after.status))
    throw new BrokenPromise(CREATE, `it can be read after the refusal with ${status}`, read);
};

const CHANGE = 'a refused request changes nothing';

const refuseChange = async (
  model: Model,
  operation: Operation,
  valid: ValidRequest,
  spoil: Spoil,
): Promise<void> => {
  const [one] = model.tracked;
  const draft = one && spoil(model, model.about(one.instance, operation, valid), valid);
  if (!one || one.isGone || !draft) return;
  await model.look(one);
  const { status } = await model.ask(draft, CHANGE, draft.credentials.length === 0 ? 401 : 400);
  if (isRefused(status)) await model.look(one, CHANGE);
  else if (status === 202) model.forget(one);
  else if (isDone(status)) {
    // Other phases report that it was accepted.
    one.expected = [];
    one.isGone = operation.method === 'DELETE';
  }
};

/** The steps that must be refused, and change nothing. */
export const refusalsOf = (
  { create, replace, patch, remove }: Resource,
  requestsOf: (operation: Operation) => fc.Arbitrary<ValidRequest>,
): fc.Arbitrary<Step>[] => {
  const spoils = fc.oneof(
    { arbitrary: fc.nat({ max: 999 }).map(withBrokenBody), weight: 3 },
    { arbitrary: fc.constant(withForeignType), weight: 1 },
    { arbitrary: fc.constant(withoutCredentials), weight: 4 },
  );
  const stepOn = (
    operation: Operation,
    refuse: (model: Model, valid: ValidRequest, spoil: Spoil) => Promise<void>,
  ) => stepWith(fc.tuple(requestsOf(operation), spoils), (model, [valid, by]) => refuse(model, valid, by));
  return [
    stepOn(create, refuseCreate),
    stepOn(create, refuseCreateById),
    ...[replace, patch, remove].flatMap((operation) =>
      operation ? [stepOn(operation, (model, valid, by) => refuseChange(model, operation, valid, by))] : [],
    ),
  ];
};
