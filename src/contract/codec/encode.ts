import { getOrInsert, once } from '../json/once.ts';
import { isTree, ownMember, pointerTo, valueAt } from '../json/pointer.ts';
import { addPart, type Encode, type EncodeStep, endDraft, startDraft, writeWhole } from '../json/write.ts';
import { isLeftOut } from '../schema/access.ts';
import { type Discriminated, discriminatedAt } from '../schema/discriminator.ts';
import { placesOf } from '../schema/shape.ts';
import { patternsAt } from './evaluation.ts';

/** The value to write: what `toJSON` returns, if the value has such a method. */
const written = (value: unknown): unknown =>
  isTree(value) && typeof value.toJSON === 'function' ? value.toJSON() : value;

const encodeAny: EncodeStep = (given) => {
  const value = written(given);
  if (typeof value === 'bigint') return `${value}`;
  if (!isTree(value)) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return encodeItems(value, () => encodeAny);
  return encodeMembers(
    Object.entries(value).map(([name, member]) => [`${JSON.stringify(name)}:`, member, encodeAny]),
  );
};

/** Any value as JSON, a bigint as the bare integer that it is. */
export const toJson: Encode = (value) => writeWhole(encodeAny, value);

const encodeItems = (items: readonly unknown[], encodeAt: (index: number) => EncodeStep) => {
  const draft = startDraft('[');
  for (const [index, item] of items.entries()) addPart(draft, '', encodeAt(index), item);
  return endDraft(draft, ']');
};

const encodeMembers = (
  members: readonly (readonly [prefix: string, value: unknown, encode: EncodeStep])[],
) => {
  const draft = startDraft('{');
  for (const [prefix, value, encode] of members)
    if (value !== undefined) addPart(draft, prefix, encode, value);
  return endDraft(draft, '}');
};

/** Whether a keyword allows members that are not declared. */
const isOpening = (value: unknown): boolean => value === true || isTree(value);

/**
 * Compiles how values of a schema are written: with the members that it declares by name or pattern. Other members are
 * written only if the schema allows them by `additionalProperties`, or declares none and does not forbid them. So a stored
 * id cannot leak into a reply that does not declare it, and a `writeOnly` member never leaks.
 */
export const createReplyEncoder = (document: unknown) => {
  const compiled = new Map<string, EncodeStep>();

  /**
   * Several schemas may apply to one value: all parts of an `allOf`, all branches of a union, or the one that a
   * discriminator names.
   */
  const compile = (pointers: readonly string[]): EncodeStep => {
    if (pointers.length === 0) return encodeAny;
    return getOrInsert(compiled, pointers.join(' '), () => {
      const encode = once(() => compileWithout(pointers, new Set(), new Set())); // so that a recursive schema finds itself
      return (value) => encode()(value);
    });
  };

  /** Leaves out the branches that a discriminator has not named, in the unions that are decided. */
  const compileWithout = (
    pointers: readonly string[],
    unnamed: ReadonlySet<string>,
    decided: ReadonlySet<string>,
  ): EncodeStep => {
    const places = [
      ...new Set(pointers.flatMap((at) => placesOf(document, at, undefined, new Set(unnamed)))),
    ];
    for (const at of places) {
      const union = decided.has(at) ? undefined : discriminatedAt(document, at);
      if (union) return compileUnion(at, union, pointers, unnamed, decided);
    }
    return compileOnce(places);
  };

  /** A value that names no branch is written by all of them together. */
  const compileUnion = (
    at: string,
    { property, branches }: Discriminated,
    pointers: readonly string[],
    unnamed: ReadonlySet<string>,
    decided: ReadonlySet<string>,
  ): EncodeStep => {
    const encodeBut = (others: readonly string[]): EncodeStep =>
      compileWithout(pointers, new Set([...unnamed, ...others]), new Set([...decided, at]));
    const all = once(() => encodeBut([]));
    const named = new Map(
      [...branches].map(([tag, branch]) => [
        tag,
        once(() => encodeBut([...branches.values()].filter((other) => other !== branch))),
      ]),
    );
    return (given) => {
      const value = written(given);
      const tag = ownMember(value, property);
      return ((typeof tag === 'string' && named.get(tag)) || all)()(value);
    };
  };

  const compileOnce = (places: readonly string[]): EncodeStep => {
    const under = (...steps: readonly string[]): string[] =>
      places
        .map((place) => place + pointerTo(...steps))
        .filter((place) => valueAt(document, place) !== undefined);
    const named = new Set(under('properties').flatMap((at) => Object.keys(valueAt(document, at) ?? {})));
    const patterns = places.flatMap((place) => patternsAt(document, place));
    const matching = (name: string): string[] =>
      patterns.filter(({ pattern }) => pattern.test(name)).map(({ at }) => at);
    const additional = [...under('additionalProperties'), ...under('unevaluatedProperties')];
    const openings = additional.filter((at) => isOpening(valueAt(document, at)));
    const isHidden = (at: string): boolean => isLeftOut(document, at, 'reply');
    const hidden = new Set([...patterns.map(({ at }) => at), ...openings].filter(isHidden));
    const isSent = (schemas: readonly string[]): boolean => !schemas.some((at) => hidden.has(at));
    const members = [...named].flatMap((name) => {
      const at = under('properties', name);
      const isMember = isSent(matching(name)) && !at.some(isHidden);
      return isMember ? [[name, `${JSON.stringify(name)}:`, compile(at)] as const] : [];
    });

    const namesNone = named.size === 0 && patterns.length === 0 && additional.length === 0;
    const isOpen = namesNone || openings.length > 0;
    const encodeOther = (name: string): EncodeStep | undefined => {
      const ofName = matching(name);
      const schemas = ofName.length > 0 ? ofName : openings;
      return (ofName.length > 0 || isOpen) && isSent(schemas) ? compile(schemas) : undefined;
    };

    const first = under('prefixItems').flatMap((at) => Object.keys(valueAt(document, at) ?? {}));
    const items = [...new Set(first)].map((index) => compile(under('prefixItems', index)));
    const encodeItem = compile([...under('items'), ...under('unevaluatedItems')]);

    /** The usual case, without any allocation but the text. */
    const encodeDeclared = (value: Record<string, unknown>) => {
      const draft = startDraft('{');
      for (const [name, prefix, encode] of members) {
        const member = ownMember(value, name);
        if (member !== undefined) addPart(draft, prefix, encode, member);
      }
      return endDraft(draft, '}');
    };

    return (given) => {
      const value = written(given);
      if (!isTree(value)) return encodeAny(value);
      if (Array.isArray(value)) return encodeItems(value, (index) => items[index] ?? encodeItem);
      if (!isOpen && patterns.length === 0) return encodeDeclared(value);
      const declared = members.map(
        ([name, before, encode]) => [before, ownMember(value, name), encode] as const,
      );
      const others = Object.keys(value).flatMap((name) => {
        const encode = named.has(name) ? undefined : encodeOther(name);
        return encode ? [[`${JSON.stringify(name)}:`, value[name], encode] as const] : [];
      });
      return encodeMembers([...declared, ...others]);
    };
  };

  return (pointer: string): Encode => {
    const encode = compile([pointer]);
    return (value) => writeWhole(encode, value);
  };
};
