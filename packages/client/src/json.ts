import { isTree, oncePerKey, ownMember, parseExactNumbers, toInt64 } from '@trellis/openapi/internal/json';
import { compilePattern } from '@trellis/openapi/internal/schema';
import type { Int64s } from './operation.ts';

/** A place on the walk: `holder[key]`, what its description says, and its exact tree. */
interface Visit {
  readonly holder: Record<string, unknown>;
  readonly key: string;
  readonly int64s: Int64s;
  readonly exact: unknown;
}

/** The description that holds for a value: a member may name it. */
const settle = (int64s: Int64s, value: unknown): Int64s => {
  let here = int64s;
  for (;;) {
    const { tagged } = here;
    const tag = tagged && ownMember(value, tagged.by);
    const named =
      typeof tag === 'string' && tagged && Object.hasOwn(tagged.as, tag) ? tagged.as[tag] : undefined;
    const next = named ?? tagged?.other;
    if (!next) return here;
    here = next();
  }
};

/** Compiled patterns of the contract: a reply with many members uses them repeatedly. */
const patternOf = oncePerKey(compilePattern);

/** The description of a member, or of an item. */
export const partOf = (
  { members, patterns, others, first, items }: Int64s,
  name: string,
  isItem: boolean,
) => {
  if (isItem) return first && Number(name) < first.length ? first[Number(name)] : items;
  if (members && Object.hasOwn(members, name)) return members[name];
  const matching = patterns?.find(([pattern]) => patternOf(pattern)?.test(name));
  return matching ? matching[1] : others;
};

/** Replaces the numbers at `int64s` by bigints. It keeps its own stack: a reply may be nested deeply. */
const decodeInt64s = (root: Visit): void => {
  const pending = [root];
  for (let visit = pending.pop(); visit; visit = pending.pop()) {
    const { holder, key, exact } = visit;
    const value = holder[key];
    const int64s = settle(visit.int64s, value);
    if (typeof value === 'number' && int64s.self) holder[key] = toInt64(value, exact) ?? value;
    if (!isTree(value)) continue;
    const isList = Array.isArray(value);
    for (const name of Object.keys(value)) {
      const part = partOf(int64s, name, isList);
      if (part) pending.push({ holder: value, key: name, int64s: part(), exact: ownMember(exact, name) });
    }
  }
};

/** Parses JSON, with a bigint for each int64, exact to the last digit. Throws a SyntaxError if it is not JSON. */
export const readJson = (text: string, int64s?: Int64s): unknown => {
  const holder: Record<string, unknown> = { value: JSON.parse(text) };
  if (int64s) decodeInt64s({ holder, key: 'value', int64s, exact: parseExactNumbers(text) });
  return holder.value;
};
