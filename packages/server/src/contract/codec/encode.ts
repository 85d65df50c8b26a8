import {
  addPart,
  type Encode,
  type EncodeStep,
  encodeAny,
  encodeItems,
  encodeMembers,
  endDraft,
  getOrInsert,
  isTree,
  once,
  ownMember,
  pointerTo,
  startDraft,
  valueAt,
  writeWhole,
  writtenValue,
} from '@trellis/openapi/json';
import { BRANCHES, type Discriminated, discriminatedAt, isLeftOut, placesOf } from '@trellis/openapi/schema';
import { patternsAt } from '../validation/evaluation.ts';
import { createFreeForm } from './free-form.ts';

/** Whether a keyword allows members that are not declared. */
const isOpening = (value: unknown): boolean => value === true || isTree(value);

/** A condition may declare members, too. */
const APPLICABLE: readonly string[] = [...BRANCHES, 'if'];

const isText = (value: unknown): value is string => typeof value === 'string';

/** The schemas that apply to a value. */
interface Applied {
  readonly pointers: readonly string[];
  readonly isFree: boolean;
  /** The branches that a discriminator has not named, in the unions that are decided. */
  readonly unnamed: ReadonlySet<string>;
  readonly decided: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

/** Finds the schemas of a part of a value that stand below one schema of the value. */
type SchemasAt = (place: string) => readonly string[];

/** The names of members that a schema asks for, whether or not it describes them. */
const askedFor = (schema: unknown): string[] => [
  ...[ownMember(schema, 'required')].flat().filter(isText),
  ...Object.entries(ownMember(schema, 'dependentRequired') ?? {})
    .flat(2)
    .filter(isText),
  ...Object.keys(ownMember(schema, 'dependentSchemas') ?? {}),
  ...[ownMember(ownMember(schema, 'discriminator'), 'propertyName')].filter(isText),
];

/**
 * Compiles how values of a schema are written: with the members that it declares by name or pattern. Other members are
 * written only if the schema allows them by `additionalProperties`, or declares none and does not forbid them. So a stored
 * id cannot leak into a reply that does not declare it, and a `writeOnly` member never leaks.
 */
export const createReplyEncoder = (document: unknown) => {
  const compiled = new Map<string, EncodeStep>();
  const { isFreeForm, isFreePart } = createFreeForm(document);

  /**
   * Several schemas may apply to one value: all parts of an `allOf`, all branches of a union, or the one that a
   * discriminator names. `isFree` says that the value may have any members beside.
   */
  const compile = (pointers: readonly string[], isFree = false): EncodeStep => {
    if (pointers.length === 0) return encodeAny;
    return getOrInsert(compiled, `${isFree} ${pointers.join(' ')}`, () => {
      const encode = once(() => compileWithout({ pointers, isFree, unnamed: NONE, decided: NONE })); // so that a recursive schema finds itself
      return (value) => encode()(value);
    });
  };

  const compileWithout = (applied: Applied): EncodeStep => {
    const { pointers, unnamed, decided } = applied;
    const places = [
      ...new Set(pointers.flatMap((at) => placesOf(document, at, APPLICABLE, new Set(unnamed)))),
    ];
    for (const at of places) {
      const union = decided.has(at) ? undefined : discriminatedAt(document, at);
      if (union) return compileUnion(at, union, applied);
    }
    return compileOnce(places, applied);
  };

  /** A value that names no branch is written by all of them together. */
  const compileUnion = (at: string, { property, branches }: Discriminated, applied: Applied): EncodeStep => {
    const encodeBut = (others: readonly string[]): EncodeStep =>
      compileWithout({
        ...applied,
        unnamed: new Set([...applied.unnamed, ...others]),
        decided: new Set([...applied.decided, at]),
      });
    const all = once(() => encodeBut([]));
    const named = new Map(
      [...branches].map(([tag, branch]) => [
        tag,
        once(() => encodeBut([...branches.values()].filter((other) => other !== branch))),
      ]),
    );
    return (given) => {
      const value = writtenValue(given);
      const tag = ownMember(value, property);
      return ((typeof tag === 'string' && named.get(tag)) || all)()(value);
    };
  };

  const compileOnce = (places: readonly string[], { pointers, isFree, unnamed }: Applied): EncodeStep => {
    const under = (place: string, ...steps: readonly string[]): string[] => {
      const at = place + pointerTo(...steps);
      return valueAt(document, at) === undefined ? [] : [at];
    };
    const allUnder = (...steps: readonly string[]): string[] =>
      places.flatMap((place) => under(place, ...steps));
    const keysUnder = (keyword: string): string[] => [
      ...new Set(allUnder(keyword).flatMap((at) => Object.keys(valueAt(document, at) ?? {}))),
    ];
    const opens = (at: string): boolean => isOpening(valueAt(document, at));
    /** What one schema says about a part, or its `unevaluated…` if no schema of the same value describes that part. */
    const partAt = (keyword: string, described: SchemasAt) => (place: string) => {
      const own = described(place);
      const rest = own.length > 0 ? [] : under(place, keyword).filter(opens);
      if (rest.length === 0) return own;
      const beside = placesOf(document, place, APPLICABLE, new Set(unnamed));
      return beside.some((each) => described(each).length > 0) ? [] : rest;
    };
    /** Compiles a part of the value. `at` finds what one schema says about it; `perhaps` are schemas that may apply, too. */
    const compilePart = (
      whole: 'object' | 'array',
      at: SchemasAt,
      perhaps: readonly string[] = [],
    ): EncodeStep => {
      const schemas = places.flatMap(at);
      const isFreeHere = schemas.length + perhaps.length > 1 && isFreePart(whole, pointers, at, unnamed);
      return compile(schemas.length === 0 || isFreeHere ? schemas : [...schemas, ...perhaps], isFreeHere);
    };

    const patterns = new Map(places.map((place) => [place, patternsAt(document, place)]));
    const hasPatterns = [...patterns.values()].some(({ length }) => length > 0);
    const matching = (place: string, name: string): string[] =>
      (patterns.get(place) ?? []).filter(({ pattern }) => pattern.test(name)).map(({ at }) => at);
    /** What one schema says about a member (JSON Schema 2020-12, section 10.3.2), or about one that no schema names. */
    const memberAt = (name: string | undefined): SchemasAt =>
      partAt('unevaluatedProperties', (place) => {
        const own = name === undefined ? [] : [...under(place, 'properties', name), ...matching(place, name)];
        return own.length > 0 ? own : under(place, 'additionalProperties').filter(opens);
      });
    const known = new Map<string, EncodeStep | undefined>();
    /** `undefined` if the member is not sent. Members of the same schemas share what is compiled. */
    const encodeMember = (name: string | undefined): EncodeStep | undefined => {
      const schemas = places.flatMap(memberAt(name));
      const key = schemas.join(' ');
      if (!known.has(key)) {
        const isHidden = schemas.some((at) => isLeftOut(document, at, 'reply'));
        known.set(key, isHidden ? undefined : compilePart('object', memberAt(name)));
      }
      return known.get(key);
    };
    const named = new Set([
      ...keysUnder('properties'),
      ...places.flatMap((place) => askedFor(valueAt(document, place))),
    ]);
    const members = [...named].flatMap((name) => {
      const encode = encodeMember(name);
      return encode ? [[name, `${JSON.stringify(name)}:`, encode] as const] : [];
    });

    const isOpen =
      isFree ||
      isFreeForm(pointers, unnamed) ||
      [...allUnder('unevaluatedProperties'), ...allUnder('additionalProperties')].some(opens);
    const encodeUnnamed = isOpen ? encodeMember(undefined) : undefined;
    const encodeOther = (name: string): EncodeStep | undefined =>
      hasPatterns && places.some((place) => matching(place, name).length > 0)
        ? encodeMember(name)
        : encodeUnnamed;

    /** What one schema says about an item (JSON Schema 2020-12, section 10.3.1). */
    const itemAt = (index: string): SchemasAt =>
      partAt('unevaluatedItems', (place) => {
        const own = under(place, 'prefixItems', index);
        return own.length > 0 ? own : under(place, 'items');
      });
    const compileItem = (index: string): EncodeStep =>
      compilePart('array', itemAt(index), allUnder('contains'));
    const items = keysUnder('prefixItems').map(compileItem);
    const encodeItem = compileItem(`${items.length}`);

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
      const value = writtenValue(given);
      if (!isTree(value)) return encodeAny(value);
      if (Array.isArray(value)) return encodeItems(value, (index) => items[index] ?? encodeItem);
      if (!isOpen && !hasPatterns) return encodeDeclared(value);
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
