import type { Schemas } from '../document/contract.ts';
import type { Operation, Parameter } from '../document/operations.ts';
import type { Call } from '../requests/call.ts';
import { type Json, present } from '../values/json.ts';
import { isNumeric } from '../values/numbers.ts';
import type { Page, Shown } from './reply-reader.ts';

/** The items of a list that were read. */
export interface Listing {
  readonly items: readonly Shown[];
  readonly total: number | undefined;
  /** Whether all pages were read: only then can a missing item be reported. */
  readonly isWhole: boolean;
}

const LIMIT = /^\$?(?:limit|page_?size|per_?page|size|top|max_?results|first|take|page\[size\])$/i;
const PAGE = /^(?:page|page_?(?:number|no|index)|page\[number\])$/i;
const OFFSET = /^\$?(?:offset|skip|start|start_?index)$/i;
const CURSOR = /^(?:cursor|after|starting_?after|page_?token|next_?token|continuation_?token|marker|next)$/i;
const PAGING = [LIMIT, PAGE, OFFSET, CURSOR];
const ORDER = /^(?:sort|order|dir(?:ection)?$|asc|desc|reverse)/i;
const MOST_PAGES = 12;
/** A list whose length is a multiple of this may have been cut off by the service. */
const USUAL_CUT = 5;
/** Page sizes to ask for, the largest valid one first. */
const SIZES = [100n, 50n, 20n, 10n, 5n, 2n, 1n];

const named = ({ parameters }: Operation, pattern: RegExp): Parameter | undefined =>
  parameters.find(({ in: place, name }) => place === 'query' && pattern.test(name));

/** The parameter for the size of a page. */
export const limitOf = (operation: Operation): Parameter | undefined => named(operation, LIMIT);

/**
 * Lists query parameters that always apply to a list, because they are required or have a default. Each may filter the
 * list in a way that only the service knows. Parameters for paging and order are excluded.
 */
export const scopeOf = ({ flatten }: Schemas, { parameters }: Operation): string[] =>
  parameters
    .filter(({ in: place, name }) => place === 'query' && ![...PAGING, ORDER].some((each) => each.test(name)))
    .filter(
      ({ isRequired, hasToldDefault, schema }) =>
        isRequired || hasToldDefault || flatten(schema).some((flat) => flat.default !== undefined),
    )
    .map(({ name }) => name);

/** The value of a page or offset parameter for the first page. */
const firstNumber = ({ flatten }: Schemas, { schema, name }: Parameter): number => {
  const [flat] = flatten(schema);
  const given = Number([flat?.default, flat?.minimum].find(isNumeric));
  return Number.isSafeInteger(given) ? given : Number(PAGE.test(name));
};

/** The query parameters in a URL; undefined if the operation does not declare all of them. */
const queryOf = ({ parameters }: Operation, address: string): Map<Parameter, Json> | undefined => {
  if (!URL.canParse(address, 'http://service') || !/[/?]/.test(address)) return undefined;
  const pairs = [...new URL(address, 'http://service').searchParams];
  const known = pairs.flatMap(([name, value]): [Parameter, Json][] => {
    const parameter = parameters.find((each) => each.in === 'query' && each.name === name);
    return parameter ? [[parameter, value]] : [];
  });
  return known.length === pairs.length ? new Map(known) : undefined;
};

/** The parameters of the next page; undefined if it cannot be requested. */
const nextOf = (
  schemas: Schemas,
  { operation, parameters }: Call,
  next: string | undefined,
  done: { readonly items: number; readonly pages: number },
): Call['parameters'] | undefined => {
  const query = next === undefined ? undefined : queryOf(operation, next);
  if (query) return new Map([...[...parameters].filter(([each]) => each.in !== 'query'), ...query]);
  const cursor = named(operation, CURSOR);
  if (cursor && next !== undefined) return new Map(parameters).set(cursor, next);
  const page = named(operation, PAGE);
  const counter = page ?? named(operation, OFFSET);
  const count = page ? done.pages : done.items;
  return counter && new Map(parameters).set(counter, BigInt(firstNumber(schemas, counter) + count));
};

/** Reads a list page by page, up to a limit, in pages of `size` if that can be chosen. */
export const readList = async (
  schemas: Schemas,
  call: Call,
  ask: (call: Call) => Promise<Page | undefined>,
  size?: bigint,
): Promise<Listing | undefined> => {
  const { operation } = call;
  const limit = limitOf(operation);
  const sizes = present(size, ...SIZES);
  const asked = limit && sizes.find((each) => schemas.isSurelyValid(limit.schema, each));
  const isPaged = PAGING.some((pattern) => named(operation, pattern));
  const hasCursor = named(operation, CURSOR) !== undefined;
  const items: Shown[] = [];
  let total: number | undefined;
  let parameters: Call['parameters'] | undefined =
    limit && asked !== undefined ? new Map(call.parameters).set(limit, asked) : call.parameters;
  for (let pages = 1; parameters && pages <= MOST_PAGES; pages += 1) {
    const page: Page | undefined = await ask({ ...call, parameters });
    if (!page) return undefined;
    items.push(...page.items);
    total = page.total;
    const count = page.items.length;
    const isCut = count >= USUAL_CUT && count % USUAL_CUT === 0;
    const isShort = asked !== undefined && count < asked && !isCut;
    const isLast = isPaged
      ? count === 0 || (!page.hasMore && (hasCursor || total === items.length || isShort))
      : !page.hasMore && !isCut && !(total !== undefined && items.length < total);
    if (isLast || !isPaged) return { items, total, isWhole: isLast };
    parameters = nextOf(schemas, { ...call, parameters }, page.next, { items: items.length, pages });
  }
  return { items, total, isWhole: false };
};
