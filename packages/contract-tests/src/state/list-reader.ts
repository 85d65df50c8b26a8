import type { Schemas } from '../document/contract.ts';
import type { Operation, Parameter } from '../document/operations.ts';
import type { Call } from '../requests/call.ts';
import type { Json } from '../values/json.ts';
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
/** Patterns of paging parameters. */
const WAYS = [LIMIT, PAGE, OFFSET, CURSOR];
/** The most pages read of a list. */
const MOST_PAGES = 12;
/** A list whose length is a multiple of this may have been cut off by the service. */
const USUAL_CUT = 5;

/** Creates functions that read lists page by page. */
export const createListReader = ({ flatten, isSurelyValid }: Schemas) => {
  const named = ({ parameters }: Operation, pattern: RegExp): Parameter | undefined =>
    parameters.find(({ in: place, name }) => place === 'query' && pattern.test(name));

  const limitOf = (operation: Operation): Parameter | undefined => named(operation, LIMIT);

  const firstNumber = (parameter: Parameter): number => {
    const [flat] = flatten(parameter.schema);
    const bounds = [flat?.default, flat?.minimum];
    const given = bounds.find(isNumeric);
    if (Number.isSafeInteger(Number(given))) return Number(given);
    return PAGE.test(parameter.name) ? 1 : 0;
  };

  /** The largest page size that the schema allows, up to 100. */
  const longestPage = (parameter: Parameter): Json | undefined =>
    [100n, 50n, 20n, 10n, 5n, 2n, 1n].find((size) => isSurelyValid(parameter.schema, size));

  /** The query parameters in a URL; undefined if the operation does not declare all of them. */
  const queryOf = (operation: Operation, address: string): Map<Parameter, Json> | undefined => {
    if (!URL.canParse(address, 'http://service') || !/[/?]/.test(address)) return undefined;
    const pairs = [...new URL(address, 'http://service').searchParams];
    const known = pairs.flatMap(([name, value]): [Parameter, Json][] => {
      const parameter = operation.parameters.find((each) => each.in === 'query' && each.name === name);
      return parameter ? [[parameter, value]] : [];
    });
    return known.length === pairs.length ? new Map(known) : undefined;
  };

  /** The parameters of the next page; undefined if it cannot be requested. */
  const nextOf = (
    operation: Operation,
    parameters: Call['parameters'],
    page: Page,
    read: number,
    pages: number,
  ): Call['parameters'] | undefined => {
    const put = (parameter: Parameter | undefined, value: Json) =>
      parameter && new Map(parameters).set(parameter, value);
    const path = [...parameters].filter(([each]) => each.in !== 'query');
    const query = page.next === undefined ? undefined : queryOf(operation, page.next);
    if (query) return new Map([...path, ...query]);
    if (page.next !== undefined) {
      const cursor = named(operation, CURSOR);
      if (cursor) return put(cursor, page.next);
    }
    const [number, offset] = [named(operation, PAGE), named(operation, OFFSET)];
    if (number) return put(number, BigInt(firstNumber(number) + pages));
    return offset && put(offset, BigInt(firstNumber(offset) + read));
  };

  /** Reads a list page by page, up to a limit. */
  const readAll = async (
    call: Call,
    ask: (call: Call) => Promise<Page | undefined>,
    size?: bigint,
  ): Promise<Listing | undefined> => {
    const { operation } = call;
    const limit = limitOf(operation);
    const asked =
      limit && (size !== undefined && isSurelyValid(limit.schema, size) ? size : longestPage(limit));
    let parameters: Call['parameters'] | undefined =
      limit && asked !== undefined ? new Map(call.parameters).set(limit, asked) : call.parameters;
    const isPaged = WAYS.some((way) => named(operation, way));
    const hasCursor = named(operation, CURSOR) !== undefined;
    const items: Shown[] = [];
    let total: number | undefined;
    for (let pages = 1; parameters && pages <= MOST_PAGES; pages += 1) {
      const page: Page | undefined = await ask({ ...call, parameters });
      if (!page) return undefined;
      items.push(...page.items);
      total = page.total;
      const isCut = page.items.length >= USUAL_CUT && page.items.length % USUAL_CUT === 0;
      const isShort = isNumeric(asked) && page.items.length < Number(asked);
      const isShortened = total !== undefined && items.length < total;
      const isLast = isPaged
        ? page.items.length === 0 ||
          (!page.hasMore && (hasCursor || total === items.length || (isShort && !isCut)))
        : !page.hasMore && !isCut && !isShortened;
      if (isLast || !isPaged) return { items, total, isWhole: isLast };
      parameters = nextOf(operation, parameters, page, items.length, pages);
    }
    return { items, total, isWhole: false };
  };

  return {
    limitOf,
    readAll,
    isPaging: ({ name }: Parameter) => WAYS.some((way) => way.test(name)),
  };
};
