import { identify } from '../json/exact-value.ts';
import {
  below,
  DEEP,
  keywordIn,
  largestIn,
  listsIn,
  type Make,
  type SchemaPart,
  smallestIn,
  variantsAt,
} from './parts.ts';

/** How many items are made for the sake of `minItems`. */
const MOST_ITEMS = 1000;

/** What one part says about the item at an index (JSON Schema 2020-12, section 10.3.1). */
const itemOf = (part: SchemaPart, index: number): SchemaPart[] => {
  const first = below(part, 'prefixItems', `${index}`);
  return first.length > 0 ? first : below(part, 'items');
};

/**
 * Lists of a schema: the shortest that shows an item, then one with another last item, then an empty one. Yields
 * nothing if the schema demands more items than can be made.
 */
export function* listsOf(
  parts: readonly SchemaPart[],
  depth: number,
  make: Make,
): Generator<readonly unknown[]> {
  const tuple = Math.max(...parts.map((part) => listsIn([part], 'prefixItems').length), 0);
  const isUnique = keywordIn(parts, 'uniqueItems').includes(true);
  const hasItems = parts.some((part) => below(part, 'items').some(({ schema }) => schema !== false));
  const shown = tuple > 0 || depth >= DEEP || !hasItems ? tuple : 1;
  const least = largestIn(parts, 'minItems') ?? 0;
  const most = Math.min(smallestIn(parts, 'maxItems') ?? MOST_ITEMS, MOST_ITEMS);
  const count = Math.min(Math.max(least, shown), most);

  const schemasOf = (index: number): SchemaPart[] => parts.flatMap((part) => itemOf(part, index));
  const items: unknown[] = [];
  const add = (schemas: readonly SchemaPart[], times: number): void => {
    const values = make.several(schemas, depth + 1, isUnique ? items.length + times : 1);
    const known = new Set(items.map(identify));
    const fresh = isUnique
      ? values.filter((value) => !known.has(identify(value)))
      : values.flatMap((value) => Array.from({ length: times }, () => value));
    items.push(...fresh.slice(0, times));
  };
  const first = Math.min(count, tuple);
  for (let index = 0; index < first; index += 1) add(schemasOf(index), 1);
  add(schemasOf(first), count - first);

  if (items.length >= Math.min(least, most)) {
    yield items;
    const last = items.length - 1;
    if (last >= 0)
      for (const value of make.several(schemasOf(last), depth + 1, variantsAt(depth)).slice(1))
        yield [...items.slice(0, last), value];
  }
  if (least === 0 && items.length > 0) yield [];
}
