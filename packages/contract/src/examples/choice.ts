import { isTree, toJson } from '@trellis/openapi/internal/json';
import { typesOf } from '@trellis/openapi/internal/schema';
import { createValues, withAbsoluteUrls } from '@trellis/openapi/internal/values';
import type { Choose } from '../reply/declared-headers.ts';
import type { ReplyRules } from '../reply/streams.ts';
import type { AcceptsAt } from '../validation/references.ts';
import { violationsIn } from '../validation/validators.ts';

/** Names of members that are true while there are more pages, in letters only: `has_more` is `hasmore`. */
const MORE = /^(?:has|is)?(?:more|next)(?:pages?|items|results|data)?$|^(?:is)?truncated$/;

/** Names of members that lead to the next page. */
const NEXT =
  /^(?:odata)?next(?:page)?(?:cursor|token|key|link|url|uri|href|path|offset|marker|number|id)?$|^(?:end)?cursor$|^continuation(?:token)?$/;

const withMember = (holder: object, name: string, value: unknown): object =>
  Object.fromEntries(
    Object.entries(holder).flatMap(([key, old]) => {
      if (key !== name) return [[key, old]];
      return value === undefined ? [] : [[key, value]];
    }),
  );

/** Lists the values of a member that end paging, the best first; an `undefined` value leaves it out. */
const endsOf = (name: string, value: unknown): readonly unknown[] => {
  const letters = name.toLowerCase().replaceAll(/[^a-z]/g, '');
  if (value === true && MORE.test(letters)) return [false];
  return value !== null && value !== false && NEXT.test(letters) ? [null, undefined, ''] : [];
};

/**
 * Ends the paging of a made-up reply, so that clients which follow its pages stop: `has_more` becomes false, and a cursor
 * or `next` becomes null, is left out, or becomes empty: the first of these that fits. Lists are left alone.
 */
export const withPagingEnded = (made: unknown, fits: (value: unknown) => boolean): unknown => {
  /** Ends the paging of a value. `put` returns the whole value with another value in the place of the holder. */
  const end = (holder: unknown, put: (holder: unknown) => unknown): unknown => {
    if (!isTree(holder) || Array.isArray(holder)) return holder;
    let current: object = holder;
    for (const [name, value] of Object.entries(holder)) {
      const ended = endsOf(name, value).map((last) => withMember(current, name, last));
      const fitting = ended.find((each) => fits(put(each)));
      current =
        fitting ??
        withMember(
          current,
          name,
          end(value, (inner) => put(withMember(current, name, inner))),
        );
    }
    return current;
  };
  return end(made, (value) => value);
};

/** How examples are made and checked. */
export interface ExampleRules extends Omit<ReplyRules, 'checked'> {
  readonly document: unknown;
  /** Whether a schema accepts a value of a reply. */
  readonly acceptsAt: AcceptsAt;
}

/**
 * Chooses the value for a place: the first of the given examples that fits the schema, else one made from the schema;
 * `undefined` if none fits. Relative references in place of URLs fit.
 */
export const createChoice = ({ document, encoderAt, validatorAt, acceptsAt }: ExampleRules): Choose => {
  const makeValue = createValues(document);

  return (given, schemaAt, isJson = true) => {
    if (schemaAt === undefined) return given[0];
    const isText = typesOf(document, schemaAt).has('string');
    const fits = (value: unknown): boolean => {
      if (value === undefined) return false;
      if (!isJson && !isText && typeof value === 'string') return true; // a text is sent verbatim, whatever its schema
      const json = (isJson ? encoderAt(schemaAt) : toJson)(value);
      return violationsIn(json, validatorAt(schemaAt), true).length === 0;
    };
    const isFit = (value: unknown): boolean => {
      try {
        return fits(value) || fits(withAbsoluteUrls(value));
      } catch {
        return false; // what cannot be encoded, or a schema that cannot be compiled
      }
    };
    const example = given.find(isFit);
    if (example !== undefined) return example;
    for (const options of [{}, { acceptsAt }])
      try {
        const value = makeValue(schemaAt, options);
        if (isFit(value)) return withPagingEnded(value, isFit);
      } catch {} // the same
    return undefined;
  };
};
