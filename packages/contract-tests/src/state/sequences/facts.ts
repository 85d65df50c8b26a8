import { isObject, type Json } from '../../values/json.ts';
import type { Schema } from '../../values/schema.ts';

/** The members of an object. */
export type Members = { readonly [name: string]: Json };

/** What a client said of a thing, and the schema that it said it by. */
export interface Fact {
  readonly value: Members;
  readonly by: Schema;
}

/** What a patch leaves as it was (RFC 7396); without that standard, a nested object may be merged or replaced. */
const without = (value: Members, patch: Members, isMerge: boolean): Members =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, member]): [string, Json][] => {
      if (!Object.hasOwn(patch, name)) return [[name, member]];
      const change = patch[name];
      return isMerge && isObject(member) && isObject(change)
        ? [[name, without(member, change, isMerge)]]
        : [];
    }),
  );

/** What is known of a thing after a patch. */
export const patchFacts = (facts: readonly Fact[], patch: Fact, isMerge: boolean): Fact[] => [
  ...facts.map(({ value, by }) => ({ value: without(value, patch.value, isMerge), by })),
  patch,
];

/** The members whose names pass. */
export const pickMembers = (value: Members, isWanted: (name: string) => boolean): Members =>
  Object.fromEntries(Object.entries(value).filter(([name]) => isWanted(name)));

/** What is known of a thing after a replace: what was sent, and that the rest is gone (RFC 9110, section 9.3.4). */
export const replaceFacts = (facts: readonly Fact[], replaced: Fact): Fact[] => {
  const gone = facts.flatMap(({ value }) => Object.keys(value)).map((name) => [name, null] as const);
  return [{ ...replaced, value: { ...Object.fromEntries(gone), ...replaced.value } }];
};
