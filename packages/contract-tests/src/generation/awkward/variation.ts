import { isObject, type Json } from '../../values/json.ts';
import { STRANGERS } from './containers.ts';

/** A valid value with one thing in it that services often handle wrongly. */
export interface Variation {
  /** The place that is notable: `body.tags[0]`. */
  readonly place: string;
  /** What is notable: `empty`. */
  readonly what: string;
  readonly leaf: Json;
  readonly written?: string | undefined;
  readonly mayRefuse: boolean;
  /** Puts a leaf in its place in a plain value, which may keep its optional members or lose those beside the place. */
  readonly put: (base: Json, leaf: Json, isLean: boolean) => Json;
}

type Members = { readonly [name: string]: Json };

/** An object with some of its members. */
export const pick = (value: Members, names: ReadonlySet<string>): Members =>
  Object.fromEntries(Object.entries(value).filter(([name]) => names.has(name)));

/** Objects with a member that the schema does not name. */
export const withStrangers = (place: string, value: Json): Variation[] =>
  isObject(value)
    ? STRANGERS.filter(({ name }) => !Object.hasOwn(value, name)).map(({ name, mayRefuse }) => ({
        place,
        what: `with a member ${JSON.stringify(name.slice(0, 20))} that is not declared`,
        leaf: 'stranger',
        mayRefuse,
        put: (base, leaf) =>
          Object.fromEntries([...Object.entries(isObject(base) ? base : value), [name, leaf]]),
      }))
    : [];

/** An object without a member. */
export const without = (value: Json, name: string): Json =>
  isObject(value) ? pick(value, new Set(Object.keys(value).filter((each) => each !== name))) : value;
