import { covers } from '@trellis/openapi/document';
import fc from 'fast-check';
import type { Operation } from '../../document/operations.ts';
import type { Draft } from '../../requests/draft.ts';
import type { ValidRequest } from '../../requests/valid.ts';
import { identityOf, type Json } from '../../values/json.ts';
import { withoutOptions } from '../making.ts';
import type { Resource } from '../resources.ts';
import { Broken } from './broken.ts';
import { idsIn } from './lists.ts';
import { type Act, isDone, type World } from './world.ts';

/** How a request is spoiled. */
type Spoil = (world: World, draft: Draft, valid: ValidRequest) => Draft | undefined;

const isSecured = ({ security }: Operation): boolean =>
  security.length > 0 && security.every((schemes) => schemes.length > 0);

const withoutCredentials: Spoil = (_world, draft) =>
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

const withForeignType: Spoil = (_world, draft) => {
  const { body } = draft;
  const isTaken = draft.operation.body?.contents.some(({ mediaType }) => covers(mediaType, FOREIGN));
  return body && !isTaken ? { ...draft, body: { ...body, contentType: FOREIGN } } : undefined;
};

const isRefused = (status: number): boolean => [400, 401, 403, 415, 422].includes(status);

const CREATE = 'a refused create stores nothing';

const refuseCreate = async (world: World, valid: ValidRequest, spoil: Spoil): Promise<void> => {
  const { resource, session, within } = world;
  const { list, create } = resource;
  const good = session.things.draftAt(within, create, withoutOptions(valid));
  const draft = list && spoil(world, good, valid);
  if (!list || !draft) return;
  const before = await world.listAll(CREATE);
  const { status } = await world.ask(draft, CREATE, draft.credentials.length === 0 ? 401 : 400);
  if (!isRefused(status) || !before?.isWhole) return;
  const after = await world.listAll(CREATE);
  if (!after?.isWhole) return;
  const old = new Set(idsIn(before));
  const added = idsIn(after).find((id) => !old.has(id));
  if (added !== undefined)
    throw new Broken(CREATE, `the list has ${added} after the refusal with ${status}`, list);
  if (before.total !== undefined && after.total !== undefined && before.total !== after.total)
    throw new Broken(
      CREATE,
      `the total is ${after.total}, not ${before.total}, after the refusal with ${status}`,
      list,
    );
};

/** With an id that the client chose, the thing itself can be asked for. */
const refuseCreateById = async (world: World, valid: ValidRequest, spoil: Spoil): Promise<void> => {
  const { resource, session, within } = world;
  const { create, read } = resource;
  const [one] = world.known;
  const good = session.things.draftAt(within, create, withoutOptions(valid));
  const draft = spoil(world, good, valid);
  const id = one?.thing.identity.isClientMade ? session.things.sentIdOf(resource, good) : undefined;
  if (!draft || !read || !one || id === undefined) return;
  const place: Json[] = [...one.thing.ids.slice(0, -1), id];
  if (world.known.some(({ thing }) => identityOf(thing.ids) === identityOf(place))) return;
  const target = world.about(
    { ...one.thing, ids: place, identity: { ...one.thing.identity, value: id } },
    read,
  );
  if (isDone((await world.ask(target, CREATE)).status)) return;
  const { status } = await world.ask(draft, CREATE, draft.credentials.length === 0 ? 401 : 400);
  if (!isRefused(status)) return;
  const read2 = await world.ask(target, CREATE);
  if (isDone(read2.status)) throw new Broken(CREATE, `it can be read after the refusal with ${status}`, read);
};

const CHANGE = 'a refused request changes nothing';

const refuseChange = async (
  world: World,
  operation: Operation,
  valid: ValidRequest,
  spoil: Spoil,
): Promise<void> => {
  const [one] = world.known;
  const draft = one && spoil(world, world.about(one.thing, operation, valid), valid);
  if (!one || one.isGone || !draft) return;
  await world.look(one);
  const { status } = await world.ask(draft, CHANGE, draft.credentials.length === 0 ? 401 : 400);
  if (isRefused(status)) await world.look(one, CHANGE);
  else if (status === 202) world.forget(one);
  else if (isDone(status)) {
    // That it was taken is for other phases to say.
    one.facts = [];
    one.isGone = operation.method === 'DELETE';
  }
};

/** The steps that must be refused, and change nothing. */
export const refusalsOf = (
  { create, replace, patch, remove }: Resource,
  requestsOf: (operation: Operation) => fc.Arbitrary<ValidRequest>,
): fc.Arbitrary<Act>[] => {
  const spoils = [
    fc.oneof(
      { arbitrary: fc.nat({ max: 999 }).map(withBrokenBody), weight: 3 },
      { arbitrary: fc.constant(withForeignType), weight: 1 },
    ),
    fc.constant(withoutCredentials),
  ];
  return spoils.flatMap((spoil) => [
    fc.tuple(requestsOf(create), spoil).map(
      ([valid, by]): Act =>
        (world) =>
          refuseCreate(world, valid, by),
    ),
    fc.tuple(requestsOf(create), spoil).map(
      ([valid, by]): Act =>
        (world) =>
          refuseCreateById(world, valid, by),
    ),
    ...[replace, patch, remove].flatMap((operation) =>
      operation
        ? [
            fc.tuple(requestsOf(operation), spoil).map(
              ([valid, by]): Act =>
                (world) =>
                  refuseChange(world, operation, valid, by),
            ),
          ]
        : [],
    ),
  ]);
};
