import type { Oracle } from '../../oracle/oracle.ts';
import { isObject, type Json } from '../../values/json.ts';
import { memberSchemasOf, type Schema, type SchemaObject } from '../../values/schema.ts';
import type { createFlatten } from '../flatten.ts';

/** A member of a value that may be there or not, or has few values to choose from. */
export interface Choice {
  /** The names that lead to it. */
  readonly way: readonly string[];
  /** What it can be; `undefined` if it is left out. */
  readonly levels: readonly (Json | undefined)[];
}

const MOST_LEVELS = 8;
const DEEPEST = 3;

/** The values that are worth a combination: those of an enum, both booleans, and null. */
export const fewValuesOf = (alternatives: readonly SchemaObject[], plain: Json): Json[] => {
  const few = alternatives.flatMap(({ enum: allowed, type }): Json[] => {
    const types = [type ?? []].flat();
    if (allowed) return [...allowed];
    return [...(types.includes('boolean') ? [true, false] : []), ...(types.includes('null') ? [null] : [])];
  });
  return [...new Set([plain, ...few])].slice(0, MOST_LEVELS);
};

/** Lists the choices in a value that has all its optional members. */
export const createChoices = (
  flatten: ReturnType<typeof createFlatten>,
  { accepts }: Pick<Oracle, 'accepts'>,
) => {
  const choicesIn = (schema: Schema, value: Json, way: readonly string[] = []): Choice[] => {
    const flat = flatten(schema).find((each) => accepts(each, value));
    if (!flat || !isObject(value) || way.length >= DEEPEST) return [];
    return Object.entries(value).flatMap(([name, item]): Choice[] => {
      const [member = true] = memberSchemasOf(flat, name);
      const values = fewValuesOf(flatten(member), item).filter((each) => accepts(member, each));
      const levels = flat.required?.includes(name) ? values : [undefined, ...values];
      return [
        ...(levels.length > 1 ? [{ way: [...way, name], levels }] : []),
        ...choicesIn(member, item, [...way, name]),
      ];
    });
  };
  return choicesIn;
};

/** A value with a choice made; unchanged if what holds the member is not there. */
export const choose = (value: Json, [name, ...rest]: readonly string[], level: Json | undefined): Json => {
  if (name === undefined || !isObject(value) || !Object.hasOwn(value, name)) return value;
  if (rest.length > 0) return { ...value, [name]: choose(value[name] ?? null, rest, level) };
  const { [name]: _gone, ...others } = value;
  return level === undefined ? others : { ...value, [name]: level };
};
