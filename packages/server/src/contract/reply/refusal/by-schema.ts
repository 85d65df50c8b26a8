import { sentenceOf } from '@trellis/openapi/json';
import { createValues } from '@trellis/openapi/values';
import type { Refusal } from '../../problems/problem.ts';
import { alternativesAt, type Declared, declaredAt } from './declared.ts';
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
interface Spot {
  readonly at: string;
  readonly name: string;
  readonly siblings: readonly string[];
  readonly isRequired: boolean;
  readonly depth: number;
}

/** Nothing is looked for below this depth: error bodies are flat, and schemas may be recursive. */
const DEEPEST = 4;

/** More alternatives of a union are not tried. */
const MOST_ALTERNATIVES = 8;

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
  { name, siblings, isRequired }: Spot,
  { types, most, isNullable }: Declared,
): Say<unknown> | undefined => {
  const { text, number, boolean } = sayingOf(name === '' ? 'message' : name, siblings);
  if (types.has('integer') || types.has('number')) {
    const maximum = most('maximum', 'exclusiveMaximum'); // a code below 600 is the status
    return (
      number && ((refusal) => [number(refusal) ?? maximum, refusal.status].find((each) => each <= maximum))
    );
  }
  if (types.has('boolean')) return boolean;
  if (types.size > 0 && !types.has('string')) return undefined;
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
  const exampleAt = (at: string): Value => constant(makeValue(at).value, true);

  /**
   * Out of a list of values, only one that is true is sent; where the name says nothing about the refusal, also the only
   * one. Without a value a body that requires it does not fit.
   */
  const compileScalar = (spot: Spot, declared: Declared): Value => {
    const { read, isNullable, types } = declared;
    const say = sayScalar(spot, declared);
    const fallback = isNullable ? null : undefined;
    const constants = [...new Set([...read('enum').flat(), ...read('const')])];
    if (constants.length > 0) {
      const only = !say && constants.length === 1 ? constants[0] : fallback;
      return {
        write: (refusal) => trueConstant(constants, refusal, say?.(refusal)) ?? only,
        isTelling: false,
        isMadeUp: false,
      };
    }
    if (!say) return isNullable ? constant(null) : exampleAt(spot.at);
    return {
      write: (refusal) => say(refusal) ?? fallback,
      isTelling: !types.has('boolean'), // that it failed is no reason
      isMadeUp: false,
    };
  };

  const compileList = ({ at, name, depth }: Spot, declared: Declared): Value => {
    const least = Math.max(0, ...declared.read('minItems').map(Number));
    const itemAt = name === '' || isHolder(name) ? declared.memberAt('items') : undefined;
    const item =
      itemAt === undefined
        ? undefined
        : compile({ at: itemAt, name: 'message', siblings: [], isRequired: true, depth: depth + 1 });
    if (!item?.isTelling) return least > 0 ? exampleAt(at) : constant([]);
    const isLeftEmpty = least === 0 && name !== '';
    return {
      ...item,
      write: (refusal) =>
        isLeftEmpty && refusal.violations.length === 0
          ? []
          : splitRefusal(refusal).slice(0, declared.most('maxItems')).map(item.write),
    };
  };

  /** With `isFull`, optional members that say something are written too. */
  const compileObject = ({ depth }: Spot, declared: Declared, isFull: boolean): Value => {
    const required = new Set(declared.read('required').flat());
    const members = declared.members.flatMap((name) => {
      const at = declared.memberAt('properties', name);
      const isRequired = required.has(name);
      if (at === undefined || !(isRequired || isFull)) return [];
      const { read, types } = declaredAt(document, at);
      if (read('writeOnly').includes(true)) return [];
      if (!isRequired && !isHolder(name) && (types.has('object') || types.has('array'))) return [];
      const value = compile({ at, name, siblings: declared.members, isRequired, depth: depth + 1 });
      return isRequired || value.isTelling ? [{ name, value }] : [];
    });
    return {
      write: (refusal) => Object.fromEntries(members.map(({ name, value }) => [name, value.write(refusal)])),
      isTelling: members.some(({ value }) => value.isTelling),
      isMadeUp: members.some(({ value }) => value.isMadeUp),
    };
  };

  const compile = (spot: Spot, alternative = 0, isFull = true): Value => {
    const declared = declaredAt(document, spot.at, alternative);
    if (spot.depth > DEEPEST) return exampleAt(spot.at);
    if (declared.types.has('object')) return compileObject(spot, declared, isFull);
    return declared.types.has('array') ? compileList(spot, declared) : compileScalar(spot, declared);
  };

  /** The bodies that may fit the schema at a pointer, most telling first. */
  return (at: string): Value[] => {
    const spot = { at, name: '', siblings: [], isRequired: true, depth: 0 };
    const count = Math.min(Math.max(alternativesAt(document, at).length, 1), MOST_ALTERNATIVES);
    return Array.from({ length: count }, (_, alternative) =>
      [true, false].map((isFull) => compile(spot, alternative, isFull)),
    ).flat();
  };
};
