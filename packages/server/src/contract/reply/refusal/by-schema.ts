import { sentenceOf } from '@trellis/openapi/json';
import {
  below,
  createValues,
  keysIn,
  keywordIn,
  largestIn,
  partAt,
  type SchemaPart,
  smallestIn,
  take,
  typesIn,
  waysOf,
} from '@trellis/openapi/values';
import type { Refusal } from '../../problems/problem.ts';
import { isHolder, type Say, sayingOf, trueConstant } from './known-members.ts';

/** How one value of a body is written. */
interface Value {
  readonly write: Say<unknown>;
  /** Whether it tells what is wrong. */
  readonly isTelling: boolean;
  /** Whether an example of the schema is in it, which says nothing about the refusal. */
  readonly isMadeUp: boolean;
}

/** A value in the body, by its name there; the whole body has none. */
interface Member {
  /** The schemas that the value must fit. */
  readonly parts: readonly SchemaPart[];
  readonly name: string;
  readonly siblings: readonly string[];
  readonly isRequired: boolean;
  readonly depth: number;
}

/** One of the ways to fit the schemas of a value: what they say together, without a choice. */
interface Way {
  readonly parts: readonly SchemaPart[];
  readonly types: readonly string[];
  /** Whether the value may be null instead. */
  readonly isNullable: boolean;
}

/** Nothing is looked for below this depth: error bodies are flat, and schemas may be recursive. */
const DEEPEST = 4;

/** More alternatives of a union are not tried. */
const MOST_ALTERNATIVES = 8;

/** The ways to fit some schemas, first those that do not mean null. */
const waysTo = (document: unknown, parts: readonly SchemaPart[]): Way[] => {
  const ways = [...take(MOST_ALTERNATIVES, waysOf(document, parts, false))].map((way) => {
    const types = typesIn(way) ?? [];
    return { parts: way, types: types.filter((type) => type !== 'null'), mayBeNull: types.includes('null') };
  });
  const isNullable = ways.some(({ mayBeNull }) => mayBeNull);
  const isNull = ({ types, mayBeNull }: (typeof ways)[number]): number =>
    Number(mayBeNull && types.length === 0);
  return ways.sort((one, other) => isNull(one) - isNull(other)).map((way) => ({ ...way, isNullable }));
};

/** The first so many characters of a text; Ajv counts code points. */
const cut = (text: string | undefined, most: number): string | undefined =>
  text !== undefined && text.length > most ? Array.from(text).slice(0, most).join('') : text;

/** Each violation as a refusal of its own; the refusal itself if it has none. */
const splitRefusal = (refusal: Refusal): readonly Refusal[] =>
  refusal.violations.length === 0
    ? [refusal]
    : refusal.violations.map((violation) => ({
        ...refusal,
        message: sentenceOf(violation),
        violations: [violation],
      }));

/** What a scalar says, by its name, its type and the bounds of its schema. */
const sayScalar = (
  { name, siblings, isRequired }: Member,
  { parts, types, isNullable }: Way,
): Say<unknown> | undefined => {
  const { text, number, boolean } = sayingOf(name === '' ? 'message' : name, siblings);
  const most = (keyword: string): number => smallestIn(parts, keyword) ?? Number.POSITIVE_INFINITY;
  if (types.includes('integer') || types.includes('number')) {
    const maximum = Math.min(most('maximum'), most('exclusiveMaximum')); // a code below 600 is the status
    return (
      number && ((refusal) => [number(refusal) ?? maximum, refusal.status].find((each) => each <= maximum))
    );
  }
  if (types.includes('boolean')) return boolean;
  if (types.length > 0 && !types.includes('string')) return undefined;
  const empty = isRequired && !isNullable ? '' : undefined; // such as the place of no violation
  return text && ((refusal) => cut(text(refusal) ?? empty, most('maxLength')));
};

/**
 * Compiles error bodies from the schemas that a contract declares: members with well-known names say what is wrong, and
 * the other required ones are examples. A value out of a list is sent only if it is true of the refusal, or the only one.
 * A schema may demand more than that, so the caller validates the outcome.
 */
export const createBodiesBySchema = (document: unknown) => {
  const makeValue = createValues(document);
  const constant = (value: unknown, isMadeUp = false): Value => ({
    write: () => value,
    isTelling: false,
    isMadeUp,
  });
  const exampleOf = ({ parts }: Member): Value => {
    const at = parts.find((part) => part.at !== undefined)?.at;
    return constant(at === undefined ? undefined : makeValue(at).value, true);
  };

  /**
   * Out of a list of values, only one that is true is sent; where the name says nothing about the refusal, also the only
   * one. Without a value a body that requires it does not fit.
   */
  const compileScalar = (member: Member, way: Way): Value => {
    const { parts, isNullable, types } = way;
    const say = sayScalar(member, way);
    const fallback = isNullable ? null : undefined;
    const constants = [...new Set([...keywordIn(parts, 'enum').flat(), ...keywordIn(parts, 'const')])];
    if (constants.length > 0) {
      const only = !say && constants.length === 1 ? constants[0] : fallback;
      return {
        write: (refusal) => trueConstant(constants, refusal, say?.(refusal)) ?? only,
        isTelling: false,
        isMadeUp: false,
      };
    }
    if (!say) return isNullable ? constant(null) : exampleOf(member);
    return {
      write: (refusal) => say(refusal) ?? fallback,
      isTelling: !types.includes('boolean'), // that it failed is no reason
      isMadeUp: false,
    };
  };

  const compileList = (member: Member, { parts }: Way): Value => {
    const { name, depth } = member;
    const least = largestIn(parts, 'minItems') ?? 0;
    const items = name === '' || isHolder(name) ? parts.flatMap((part) => below(part, 'items')) : [];
    const item =
      items.length === 0
        ? undefined
        : compile({ parts: items, name: 'message', siblings: [], isRequired: true, depth: depth + 1 });
    if (!item?.isTelling) return least > 0 ? exampleOf(member) : constant([]);
    const isLeftEmpty = least === 0 && name !== '';
    return {
      ...item,
      write: (refusal) =>
        isLeftEmpty && refusal.violations.length === 0
          ? []
          : splitRefusal(refusal).slice(0, smallestIn(parts, 'maxItems')).map(item.write),
    };
  };

  /** With `isFull`, optional members that say something are written too. */
  const compileObject = ({ depth }: Member, { parts }: Way, isFull: boolean): Value => {
    const required = new Set(keywordIn(parts, 'required').flat());
    const siblings = keysIn(parts, 'properties');
    const members = siblings.flatMap((name) => {
      const own = parts.flatMap((part) => below(part, 'properties', name));
      const isRequired = required.has(name);
      const [way] = waysTo(document, own);
      if (!(isRequired || isFull) || !way || keywordIn(way.parts, 'writeOnly').includes(true)) return [];
      const isComposite = way.types.includes('object') || way.types.includes('array');
      if (!isRequired && !isHolder(name) && isComposite) return [];
      const value = compile({ parts: own, name, siblings, isRequired, depth: depth + 1 }, way);
      return isRequired || value.isTelling ? [{ name, value }] : [];
    });
    return {
      write: (refusal) => Object.fromEntries(members.map(({ name, value }) => [name, value.write(refusal)])),
      isTelling: members.some(({ value }) => value.isTelling),
      isMadeUp: members.some(({ value }) => value.isMadeUp),
    };
  };

  const compile = (member: Member, way = waysTo(document, member.parts)[0], isFull = true): Value => {
    if (!way || member.depth > DEEPEST) return exampleOf(member);
    if (way.types.includes('object')) return compileObject(member, way, isFull);
    return way.types.includes('array') ? compileList(member, way) : compileScalar(member, way);
  };

  /** The bodies that may fit the schema at a pointer, most telling first. */
  return (at: string): Value[] => {
    const member = { parts: [partAt(document, at)], name: '', siblings: [], isRequired: true, depth: 0 };
    return waysTo(document, member.parts).flatMap((way) =>
      [true, false].map((isFull) => compile(member, way, isFull)),
    );
  };
};
