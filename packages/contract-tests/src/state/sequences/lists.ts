import fc from 'fast-check';
import type { Operation, Parameter } from '../../document/operations.ts';
import type { ValidRequest } from '../../requests/valid.ts';
import { identityOf, type Json, textOf } from '../../values/json.ts';
import { ownOf } from '../../values/schema.ts';
import { withoutOptions } from '../making.ts';
import type { Listing } from '../reading/pages.ts';
import type { Shown } from '../reading/replies.ts';
import type { Resource } from '../resources.ts';
import { Broken } from './broken.ts';
import { type Act, isDone, type Known, type World } from './world.ts';

/** A total above this may be an estimate, or capped. */
const MOST_COUNTED = 1000;

const idOf = (shown: Shown): string | undefined => {
  const value = shown.idMember === undefined ? undefined : shown.members[shown.idMember];
  return value === undefined || value === null || typeof value === 'object' ? undefined : textOf(value);
};

/** The ids of the things in a list. */
export const idsIn = ({ items }: Listing): string[] => items.flatMap((each) => idOf(each) ?? []);

/** Whether the ids in a list are those of the paths. */
const isListedBy = ({ thing }: Known, { items }: Listing): boolean =>
  items.every(({ idMember }) => thing.identity.member === undefined || idMember === thing.identity.member);

const checkList = async (world: World, size: bigint | undefined): Promise<void> => {
  const { scope } = world;
  const { list } = world.resource;
  const listing = await world.listAll('a list can be read', size);
  if (!list || !scope || !listing) return;
  const { items, total, isWhole } = listing;
  const ids = idsIn(listing);
  if (total !== undefined && total < items.length)
    throw new Broken('a total counts all', `the total is ${total}, and there are ${items.length}`, list);
  const isCounted = isWhole && scope.filters.length === 0 && total !== undefined && total <= MOST_COUNTED;
  if (isCounted && total > items.length)
    throw new Broken('a total counts no more', `the total is ${total}, and there are ${items.length}`, list);
  const listed = new Set(ids);
  if (isWhole && listed.size < ids.length) {
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    throw new Broken('a list has each thing once', `${twice} is there twice`, list);
  }
  for (const one of world.known) {
    const id = textOf(one.thing.identity.value);
    if (!isListedBy(one, listing)) continue;
    if (one.isGone && listed.has(id))
      throw new Broken('what was deleted is not in the list', `${id} is there`, list);
    if (isWhole && !one.isGone && !listed.has(id) && scope.includes(one.facts))
      throw new Broken('a list has what was created', `${id} is not among the ${items.length}`, list);
    const shown = items.find((each) => idOf(each) === id);
    // A list of summaries may show less, or something else.
    if (shown && !one.isGone && scope.shapes.length === 0 && isWholeThing(world, shown))
      world.checkFacts(one.facts, shown, 'a list shows what is kept', list);
  }
};

const isWholeThing = ({ resource: { read, create } }: World, { schema }: Shown): boolean => {
  const declared = read ? read.replies.get('200') : create.replies.get('201');
  const shown = declared?.contents.find(({ kind }) => kind === 'json')?.schema;
  return shown !== undefined && identityOf(shown) === identityOf(schema);
};

const checkLimit = async (world: World, size: bigint): Promise<void> => {
  const { session, resource, pages, replies, plain, within } = world;
  const { list } = resource;
  const limit = list && pages.limitOf(list);
  const given = list && plain.get(list);
  if (!list || !limit || !given || !session.readings.isSurelyValid(limit.schema, size)) return;
  const draft = session.things.draftAt(within, list, withoutOptions(given));
  const claim = `a list has no more than its ${limit.name}`;
  const answer = await world.ask({ ...draft, parameters: new Map(draft.parameters).set(limit, size) }, claim);
  const page = isDone(answer.status) ? replies.pageIn(resource, list, answer) : undefined;
  if (page && page.items.length > Number(size))
    throw new Broken(claim, `${page.items.length} instead of ${size}`, list);
};

const checkTotal = async (world: World, valid: ValidRequest): Promise<void> => {
  const { list } = world.resource;
  const claim = 'a total grows with each create';
  const before = await world.listAll(claim);
  if (!list || before?.total === undefined || before.total > MOST_COUNTED) return;
  const made = await world.create(valid);
  if (!made || !world.scope?.includes(made.facts)) return;
  const after = await world.listAll(claim);
  if (after?.total !== undefined && after.total !== before.total + 1)
    throw new Broken(claim, `the total is ${after.total} after ${before.total}`, list);
};

/** Whether a parameter asks for things with exactly this value: a text may be searched for instead. */
const isExact = (world: World, { in: place, name, schema }: Parameter): boolean =>
  place === 'query' &&
  world.session.contract.request
    .flatten(schema)
    .every(({ type, enum: allowed }) => type === 'boolean' || allowed !== undefined) &&
  !/^(?:sort|order|fields|include|expand|format|view)/i.test(name);

const isListed = async (world: World, one: Known): Promise<boolean> => {
  const listing = one.isGone ? undefined : await world.listAll('a list can be read');
  return listing !== undefined && idsIn(listing).includes(textOf(one.thing.identity.value));
};

const checkFilter = async (world: World): Promise<void> => {
  const { session, resource, replies, plain, within } = world;
  const { list } = resource;
  const given = list && plain.get(list);
  for (const one of world.known)
    for (const parameter of list?.parameters ?? []) {
      const wanted: Json | undefined = one.facts
        .map(({ value }) => ownOf(value, parameter.name))
        .find((each) => each !== undefined);
      if (!list || !given || wanted === undefined || wanted === null || !isExact(world, parameter)) continue;
      if (!session.readings.isSurelyValid(parameter.schema, wanted)) continue;
      const draft = session.things.draftAt(within, list, withoutOptions(given));
      const claim = `a list by ${parameter.name} has only what matches`;
      const answer = await world.ask(
        { ...draft, parameters: new Map(draft.parameters).set(parameter, wanted) },
        claim,
      );
      const page = isDone(answer.status) ? replies.pageIn(resource, list, answer) : undefined;
      const other = page?.items.find(({ members }) => {
        const value = ownOf(members, parameter.name);
        return value !== undefined && typeof value !== 'object' && identityOf(value) !== identityOf(wanted);
      });
      if (other)
        throw new Broken(claim, `${parameter.name} is ${identityOf(other.members[parameter.name])}`, list);
      if (page?.items.length === 0 && (await isListed(world, one)))
        throw new Broken(
          `a list by ${parameter.name} has what matches`,
          `it is empty for ${identityOf(wanted)}`,
          list,
        );
    }
};

/** The steps that look at lists. */
export const listsOf = (
  { create, list }: Resource,
  requestsOf: (operation: Operation) => fc.Arbitrary<ValidRequest>,
  always: (act: Act) => fc.Arbitrary<Act>,
): fc.Arbitrary<Act>[] =>
  list
    ? [
        requestsOf(create).map(
          (valid): Act =>
            (world) =>
              checkTotal(world, valid),
        ),
        always((world) => checkList(world, undefined)),
        fc.bigInt({ min: 1n, max: 2n }).map(
          (size): Act =>
            (world) =>
              checkList(world, size),
        ),
        fc.bigInt({ min: 1n, max: 2n }).map(
          (size): Act =>
            (world) =>
              checkLimit(world, size),
        ),
        always(checkFilter),
      ]
    : [];
