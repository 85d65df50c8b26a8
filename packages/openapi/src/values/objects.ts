import { ownMember } from '../json/pointer.ts';
import { compilePattern } from '../schema/pattern.ts';
import { DEEP, type Make, variantsAt } from './make.ts';
import { below, keysIn, keywordIn, largestIn, listsIn, type SchemaPart, smallestIn } from './parts.ts';
import { textsMatching } from './patterns.ts';

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

/** The names that are required, with those that they require in turn. */
const requiredIn = (parts: readonly SchemaPart[]): Set<string> => {
  const names = new Set(listsIn(parts, 'required').map(String));
  for (const name of names) // a set also visits what is added meanwhile
    for (const rule of keywordIn(parts, 'dependentRequired'))
      for (const other of [ownMember(rule, name) ?? []].flat()) names.add(String(other));
  return names;
};

/** Names for members that the schema does not name. */
function* newNames(parts: readonly SchemaPart[], depth: number, make: Make): Generator<string> {
  const demands = parts.flatMap((part) => below(part, 'propertyNames'));
  const text = { schema: { type: 'string' }, at: undefined };
  if (demands.length > 0) yield* make.several([text, ...demands], depth + 1, variantsAt(0)).map(String);
  for (const pattern of keysIn(parts, 'patternProperties'))
    yield* textsMatching(pattern, { least: 0, most: Number.POSITIVE_INFINITY });
  for (let nth = 1; nth <= MOST_ADDED; nth += 1) yield `member${nth}`;
}

/**
 * Objects of a schema: with all members, with the required ones only, then with other values of one member after the
 * other. None if a required member has no value.
 */
export function* objectsOf(parts: readonly SchemaPart[], depth: number, make: Make): Generator<object> {
  const schemasOf = (name: string): SchemaPart[] => parts.flatMap((part) => memberOf(part, name));
  const isSent = (name: string): boolean => !schemasOf(name).some(make.isLeftOut);
  const required = [...requiredIn(parts)].filter(isSent);
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
  if (members.size < least)
    for (const name of newNames(parts, depth, make)) {
      if (members.size >= least) break;
      if (!members.has(name)) add(name);
    }
  const inOrder = [...keysIn(parts, 'properties'), ...members.keys()].filter((name) => members.has(name));
  const names = new Set(inOrder);
  yield write(names);
  if (bare.size < names.size && bare.size >= least) yield write(bare);
  for (const name of names)
    for (const value of make.several(schemasOf(name), depth + 1, variantsAt(depth)).slice(1))
      yield { ...write(names), [name]: value };
}
