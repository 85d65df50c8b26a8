import { sentenceOf } from '@trellis/openapi/json';
import { createValues } from '@trellis/openapi/values';
import type { Refusal } from '../../problems/problem.ts';
import { createDeclarations, type Declared } from './declared.ts';
import { booleanOf, isHolder, numberOf, type Say, textOf, trueConstant } from './known-members.ts';

/** How one value of a body is written. */
interface Value {
  readonly write: Say<unknown>;
  /** Whether it tells what is wrong. */
  readonly speaks: boolean;
  /** Whether an example of the schema is in it, which says nothing about the refusal. */
  readonly isMadeUp: boolean;
  /** Whether its schema lists its values, which may tell the branches of a union apart. */
  readonly isListed?: boolean;
}

/** Which members a body has: `required` ones only, in `full` also those that say something, or `listed` values as well. */
type Extent = 'listed' | 'full' | 'required';

/** In the order in which they are tried. */
const EXTENTS: readonly Extent[] = ['full', 'required', 'listed'];

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
const each = (refusal: Refusal): readonly Refusal[] =>
  refusal.violations.length === 0
    ? [refusal]
    : refusal.violations.map((violation) => ({
        ...refusal,
        message: sentenceOf(violation),
        violations: [violation],
      }));

/**
 * Compiles error bodies from the schemas that a contract declares: members with well-known names say what is wrong, and
 * the other required ones are examples. A value out of a list is sent only if it is true of the refusal, or the only one.
 * A schema may demand more than that, so the caller validates the outcome.
 */
export const createBodiesBySchema = (document: unknown) => {
  const makeValue = createValues(document);
  const { alternativesAt, declaredAt } = createDeclarations(document);

  const exampleAt = (at: string): Value => {
    const { value } = makeValue(at);
    return { write: () => value, speaks: false, isMadeUp: true };
  };

  /**
   * What a scalar says, if its schema allows that. Out of a list of values, only one that is true is sent; where the name
   * says nothing about the refusal, also the only one. Without a value a body that requires it does not fit.
   */
  const compileScalar = (
    { at }: Spot,
    { read, isNullable }: Declared,
    say: Say<unknown> | undefined,
  ): Value => {
    const constants = new Set([...read('enum').flat(), ...read('const')]);
    const [only] = constants;
    const fallback = isNullable ? null : undefined;
    if (constants.size > 0)
      return {
        speaks: false,
        isMadeUp: false,
        isListed: true,
        write: (refusal) =>
          trueConstant(constants, refusal, say?.(refusal)) ??
          (!say && constants.size === 1 ? only : fallback),
      };
    if (say) return { speaks: true, isMadeUp: false, write: (refusal) => say(refusal) ?? fallback };
    return isNullable ? { speaks: false, isMadeUp: false, write: () => null } : exampleAt(at);
  };

  const compileList = ({ at, name, depth }: Spot, declared: Declared): Value => {
    const least = Math.max(0, ...declared.read('minItems').map(Number));
    const itemAt = declared.memberAt('items');
    const isKnown = name === '' || isHolder(name);
    const item =
      isKnown && itemAt !== undefined
        ? compile({ at: itemAt, name: 'message', siblings: [], isRequired: true, depth: depth + 1 })
        : undefined;
    if (!item?.speaks) return least > 0 ? exampleAt(at) : { write: () => [], speaks: false, isMadeUp: false };
    const most = declared.most('maxItems');
    return {
      speaks: true,
      isMadeUp: item.isMadeUp,
      write: (refusal) =>
        refusal.violations.length === 0 && least === 0 && name !== ''
          ? []
          : each(refusal).slice(0, most).map(item.write),
    };
  };

  const compileObject = ({ depth }: Spot, declared: Declared, extent: Extent): Value => {
    const required = new Set(declared.read('required').flat());
    const members = declared.members.flatMap((name) => {
      const at = declared.memberAt('properties', name);
      const isRequired = required.has(name);
      if (at === undefined || (!isRequired && extent === 'required')) return [];
      const { read, types } = declaredAt(at);
      if (read('writeOnly').includes(true)) return [];
      if (!isRequired && !isHolder(name) && (types.has('object') || types.has('array'))) return [];
      const value = compile({ at, name, siblings: declared.members, isRequired, depth: depth + 1 });
      const isTold = value.speaks || (extent === 'listed' && value.isListed);
      return isRequired || isTold ? [{ name, value }] : [];
    });
    return {
      speaks: members.some(({ value }) => value.speaks),
      isMadeUp: members.some(({ value }) => value.isMadeUp),
      write: (refusal) => Object.fromEntries(members.map(({ name, value }) => [name, value.write(refusal)])),
    };
  };

  const compile = (spot: Spot, alternative = 0, extent: Extent = 'full'): Value => {
    const declared = declaredAt(spot.at, alternative);
    const { types, most } = declared;
    const name = spot.name === '' ? 'message' : spot.name;
    if (spot.depth > DEEPEST) return exampleAt(spot.at);
    if (types.has('object')) return compileObject(spot, declared, extent);
    if (types.has('array')) return compileList(spot, declared);
    if (types.has('integer') || types.has('number'))
      return compileScalar(spot, declared, numberOf(name, most('maximum', 'exclusiveMaximum')));
    if (types.has('boolean')) {
      const value = compileScalar(spot, declared, booleanOf(name));
      return { ...value, speaks: false }; // that it failed is no reason
    }
    if (types.size > 0 && !types.has('string')) return compileScalar(spot, declared, undefined);
    const say = textOf(name, spot.siblings);
    const longest = most('maxLength');
    const empty = spot.isRequired && !declared.isNullable ? '' : undefined; // such as the place of no violation
    return compileScalar(spot, declared, say && ((refusal) => cut(say(refusal) ?? empty, longest)));
  };

  return {
    /** The bodies that may fit the schema at a pointer, most telling first. `silent` ones say nothing, and nothing false. */
    bodiesAt: (at: string): Readonly<Record<'telling' | 'silent', Say<unknown>[]>> => {
      const spot = { at, name: '', siblings: [], isRequired: true, depth: 0 };
      const count = Math.min(Math.max(alternativesAt(at).length, 1), MOST_ALTERNATIVES);
      const values = Array.from({ length: count }, (_, alternative) => alternative).flatMap((alternative) =>
        EXTENTS.map((extent) => compile(spot, alternative, extent)),
      );
      const writersOf = (all: readonly Value[]) => all.map(({ write }) => write);
      return {
        telling: writersOf(values.filter(({ speaks }) => speaks)),
        silent: writersOf(values.filter(({ speaks, isMadeUp }) => !speaks && !isMadeUp)),
      };
    },
  };
};
