import { textOf } from '@trellis/openapi/internal/http';
import fc from 'fast-check';
import type { Parameter } from '../document/operations.ts';
import { identityOf, type Json } from '../values/json.ts';
import { ownOf } from '../values/schema.ts';
import { BrokenPromise, check } from './expectations.ts';
import { type Listing, limitOf } from './list-reader.ts';
import { isDone, type Model, type Step, stepWith, type Tracked } from './model.ts';
import type { Shown } from './reply-reader.ts';

/** Higher totals may be estimates. */
const MOST_COUNTED = 1000;

/** The ids of the instances in a list. */
export const idsIn = ({ items }: Listing): string[] => items.flatMap(({ id }) => id ?? []);

/** Whether a list uses the same ids as paths. */
const isListedBy = ({ instance: { identity } }: Tracked, { items }: Listing): boolean =>
  items.every(({ idMember }) => !identity.path || idMember === identity.path.at(-1));

/** Whether a list contains whole instances, not summaries. */
const showsAll = ({ resource: { read, create } }: Model, { schema }: Shown): boolean => {
  const declared = read ? read.replies.get('200') : create.replies.get('201');
  const shown = declared?.contents.find(({ kind }) => kind === 'json')?.schema;
  return shown !== undefined && identityOf(shown) === identityOf(schema);
};

/** Reads the list and compares it with the expectations. */
export const checkList = async (model: Model, size?: bigint): Promise<void> => {
  const { scope } = model;
  const { list } = model.resource;
  const listing = await model.listAll('a list can be read', size);
  if (!list || !listing) return;
  const { items, total } = listing;
  const ids = idsIn(listing);
  const counts = `the total is ${total}, but there are ${items.length} items`;
  if (total !== undefined && total < items.length)
    throw new BrokenPromise('a total counts every item', counts, list);
  const isComplete = listing.isWhole && scope.length === 0;
  if (isComplete && total !== undefined && total <= MOST_COUNTED && total > items.length)
    throw new BrokenPromise('a total counts only existing items', counts, list);
  const listed = new Set(ids);
  if (listing.isWhole && listed.size < ids.length) {
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    throw new BrokenPromise('a list has no duplicates', `${twice} occurs twice`, list);
  }
  for (const one of model.tracked) {
    const id = textOf(one.instance.identity.value);
    if (!isListedBy(one, listing)) continue;
    if (one.isGone && listed.has(id))
      throw new BrokenPromise('a list omits deleted things', `it contains ${id}`, list);
    if (one.isGone) continue;
    const lost = `${id} is not among the ${items.length}`;
    if (isComplete && !listed.has(id))
      throw new BrokenPromise('a list contains every created thing', lost, list);
    const shown = items.find((each) => each.id === id);
    if (shown && scope.length === 0 && showsAll(model, shown))
      check(model.contract, one.expected, shown, 'a list shows things as they were stored', list);
  }
};

/** Requests a page of the list with one more parameter; returns undefined if the reply has no list. */
const askFor = async (model: Model, parameter: Parameter, value: Json, promise: string) => {
  const { session, resource, plain, within } = model;
  const { list } = resource;
  const given = list && plain.get(list);
  if (!list || !given || !session.contract.request.isSurelyValid(parameter.schema, value)) return undefined;
  const call = session.instances.callAt(within, list, given);
  const parameters = new Map(call.parameters).set(parameter, value);
  return model.askPage({ ...call, parameters }, promise);
};

const checkLimit = async (model: Model, size: bigint): Promise<void> => {
  const { list } = model.resource;
  const limit = list && limitOf(list);
  if (!list || !limit) return;
  const promise = `a list respects its ${limit.name}`;
  const page = await askFor(model, limit, size, promise);
  if (page && page.items.length > Number(size))
    throw new BrokenPromise(promise, `${page.items.length} instead of ${size}`, list);
};

/** Whether a parameter filters by an exact value; a text may be a search. */
const isExact = ({ session }: Model, { in: place, schema }: Parameter): boolean =>
  place === 'query' &&
  session.contract.request
    .flatten(schema)
    .every(({ type, enum: allowed }) => type === 'boolean' || allowed !== undefined);

const isListed = async (model: Model, one: Tracked): Promise<boolean> => {
  const listing = one.isGone ? undefined : await model.listAll('a list can be read');
  return listing !== undefined && idsIn(listing).includes(textOf(one.instance.identity.value));
};

const checkFilter = async (model: Model): Promise<void> => {
  const { list } = model.resource;
  const filters = list?.parameters.filter((each) => isExact(model, each)) ?? [];
  for (const one of model.tracked)
    for (const parameter of filters) {
      const { name } = parameter;
      const [wanted = null] = one.expected.flatMap(({ value }) => ownOf(value, name) ?? []);
      if (!list || wanted === null) continue;
      const promise = `a list by ${name} contains only matches`;
      const page = await askFor(model, parameter, wanted, promise);
      const other = page?.items.find(({ members }) => {
        const value = ownOf(members, name);
        return value !== undefined && typeof value !== 'object' && identityOf(value) !== identityOf(wanted);
      });
      if (other) throw new BrokenPromise(promise, `${name} is ${identityOf(other.members[name])}`, list);
      if (page?.items.length === 0 && (await isListed(model, one))) {
        const what = `it is empty for ${identityOf(wanted)}`;
        throw new BrokenPromise(`a list by ${name} contains all matches`, what, list);
      }
    }
};

/** Creates another parent, whose collection must not contain the instances of the first. */
export const checkOtherParent = async (model: Model): Promise<void> => {
  const { session, resource } = model;
  const { parent, read, list, shape, create } = resource;
  const [one] = model.tracked;
  const isInside = parent !== undefined && shape.startsWith(`${parent.shape}/`);
  const other = isInside && one && !one.isGone ? await session.instances.createNew(parent) : undefined;
  if (!other || !one || create.method !== 'POST') return;
  model.exchanges.push(...other.before.slice(-1));
  const { instance } = one;
  const ids = [...other.ids, ...instance.ids.slice(other.ids.length)];
  // A service may have returned the first parent instead of creating another.
  if (identityOf(ids) === identityOf(instance.ids)) return;
  if (read && !instance.identity.isClientMade) {
    const promise = 'a thing exists only in its parent';
    const { status } = await model.ask(model.about({ ...instance, ids }, read), promise);
    if (isDone(status)) throw new BrokenPromise(promise, `status ${status}`, read);
  }
  const promise = 'a list contains only things of its parent';
  const listing = await model.listAll(promise, undefined, other);
  const id = textOf(instance.identity.value);
  if (list && listing && idsIn(listing).includes(id) && !instance.identity.isClientMade)
    throw new BrokenPromise(promise, `it contains ${id}`, list);
};

const SIZES = fc.bigInt({ min: 1n, max: 2n });

/** Steps that check lists. */
export const LIST_STEPS: readonly fc.Arbitrary<Step>[] = [
  stepWith(fc.option(SIZES, { nil: undefined }), checkList),
  stepWith(SIZES, checkLimit),
  fc.constant(checkFilter),
];
