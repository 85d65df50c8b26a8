import { compilePattern } from '../schema/pattern.ts';
import {
  below,
  DEEP,
  keysIn,
  largestIn,
  listsIn,
  type Make,
  type SchemaPart,
  smallestIn,
  variantsAt,
} from './parts.ts';

/** How many members are added for the sake of `minProperties`. */
const MOST_ADDED = 1000;

/** What one part says about a member (JSON Schema 2020-12, section 10.3.2). */
const memberOf = (part: SchemaPart, name: string): SchemaPart[] => {
  const named = below(part, 'properties', name);
  const patterned = keysIn([part], 'patternProperties')
    .filter((pattern) => compilePattern(pattern)?.test(name))
    .flatMap((pattern) => below(part, 'patternProperties', pattern));
  const known = [...named, ...patterned];
  return known.length > 0 ? known : below(part, 'additionalProperties');
};

/**
 * Objects of a schema: with all members, with the required ones only, then with other values of one member after the
 * other. None if a required member has no value.
 */
export function* objectsOf(parts: readonly SchemaPart[], depth: number, make: Make): Generator<object> {
  const schemasOf = (name: string): SchemaPart[] => parts.flatMap((part) => memberOf(part, name));
  const isSent = (name: string): boolean => !schemasOf(name).some(make.isLeftOut);
  const required = [...new Set(listsIn(parts, 'required').map(String))].filter(isSent);
  const declared = keysIn(parts, 'properties').filter((name) => !required.includes(name) && isSent(name));
  const most = smallestIn(parts, 'maxProperties') ?? Number.POSITIVE_INFINITY;
  const least = Math.min(largestIn(parts, 'minProperties') ?? 0, MOST_ADDED);

  const members = new Map<string, unknown>();
  /** Gives whether the member has a value. */
  const add = (name: string): boolean => {
    const [value] = make.several(schemasOf(name), depth + 1, 1);
    if (value !== undefined) members.set(name, value);
    return value !== undefined;
  };
  const write = (names: Iterable<string>): object =>
    Object.fromEntries([...names].map((name) => [name, members.get(name)]));

  for (const name of required) if (!add(name) && !make.isPartial) return;
  const bare = new Set(members.keys());
  for (const name of declared) if ((depth < DEEP || members.size < least) && members.size < most) add(name);
  for (let nth = 1; members.size < least && nth <= MOST_ADDED; nth += 1) add(`member${nth}`);
  const inOrder = [...keysIn(parts, 'properties'), ...members.keys()].filter((name) => members.has(name));
  const names = new Set(inOrder);
  yield write(names);
  if (bare.size < names.size && bare.size >= least) yield write(bare);
  for (const name of names)
    for (const value of make.several(schemasOf(name), depth + 1, variantsAt(depth)).slice(1))
      yield { ...write(names), [name]: value };
}
