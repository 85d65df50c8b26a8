import type { Refusal } from '../../problems/problem.ts';
import { sentenceOf } from '../../problems/violations.ts';
import { createValues } from '../../values/values.ts';
import { createDeclarations, type Declared } from './declared.ts';
import { isHolder, numberOf, type Say, textOf } from './known-members.ts';

/** How one value of a body is written. */
interface Value {
  readonly write: Say<unknown>;
  /** Whether it says anything of the refusal; if not, it is an example. */
  readonly speaks: boolean;
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
 * the other required ones are examples. A schema may demand more than that, so the caller validates the outcome.
 */
export const createBodiesBySchema = (document: unknown) => {
  const makeValue = createValues(document);
  const { alternativesAt, declaredAt } = createDeclarations(document);

  const exampleAt = (at: string): Value => {
    const { value } = makeValue(at);
    return { write: () => value, speaks: false };
  };

  /** What a scalar says, if its schema allows that. */
  const compileScalar = (
    { at, isRequired }: Spot,
    { read, isNullable }: Declared,
    say: Say<unknown> | undefined,
  ): Value => {
    const example = exampleAt(at);
    const constants = [...read('enum').flat(), ...read('const')];
    if (!say) return { ...example, isListed: constants.length > 0 };
    return {
      speaks: constants.length === 0,
      isListed: constants.length > 0,
      write(refusal) {
        const value = say(refusal);
        if (value !== undefined && (constants.length === 0 || constants.includes(value))) return value;
        if (isNullable) return null;
        return isRequired || constants.length > 0 ? example.write(refusal) : undefined;
      },
    };
  };

  const compileList = ({ at, name, depth }: Spot, declared: Declared): Value => {
    const least = Math.max(0, ...declared.read('minItems').map(Number));
    const itemAt = declared.memberAt('items');
    const isKnown = name === '' || isHolder(name);
    const item =
      isKnown && itemAt !== undefined
        ? compile({ at: itemAt, name: 'message', siblings: [], isRequired: true, depth: depth + 1 })
        : undefined;
    if (!item?.speaks) return least > 0 ? exampleAt(at) : { write: () => [], speaks: false };
    const most = declared.most('maxItems');
    return {
      speaks: true,
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
    if (types.size > 0 && !types.has('string')) return exampleAt(spot.at);
    const say = textOf(name, spot.siblings);
    const longest = most('maxLength');
    return compileScalar(spot, declared, say && ((refusal) => cut(say(refusal), longest)));
  };

  return {
    /** The bodies that may fit the schema at a pointer, most telling first; none that says nothing of the refusal. */
    bodiesAt: (at: string): Say<unknown>[] => {
      const spot = { at, name: '', siblings: [], isRequired: true, depth: 0 };
      const count = Math.min(Math.max(alternativesAt(at).length, 1), MOST_ALTERNATIVES);
      return Array.from({ length: count }, (_, alternative) => alternative)
        .flatMap((alternative) => EXTENTS.map((extent) => compile(spot, alternative, extent)))
        .filter(({ speaks }) => speaks)
        .map(({ write }) => write);
    },

    /** An example of the schema at a pointer, whatever the refusal. */
    exampleAt: (at: string): Say<unknown> => exampleAt(at).write,
  };
};
