import { fromDocument, identify } from '../json/exact-value.ts';
import { isTree } from '../json/pointer.ts';
import { type Direction, isLeftOut } from '../schema/access.ts';
import { listsOf } from './lists.ts';
import { numbersOf } from './numbers.ts';
import { objectsOf } from './objects.ts';
import {
  DEEP,
  keywordIn,
  listsIn,
  type Make,
  partAt,
  type SchemaPart,
  TOO_DEEP,
  typesIn,
  waysOf,
} from './parts.ts';
import { textsOf } from './texts.ts';

/** How many schemas are visited for one value: a schema with many branches comes to an end. */
const MOST_VISITS = 20_000;

/** How many values of one type are tried for a schema at first, and then, beside those that are asked for. */
const FEW = 3;
const MOST_OF_TYPE = 30;

/** Yields at most `count` values. */
export function* take<T>(count: number, values: Iterable<T>): Generator<T> {
  let left = count;
  for (const value of values) {
    if (left <= 0) return;
    left -= 1;
    yield value;
  }
}

/** One simple value of each type, for a schema that says nothing of types. */
const ANYTHING: readonly unknown[] = [null, 'text', 0, true, {}, []];

/** The examples and defaults of a schema. They need not fit it. */
const statedIn = (parts: readonly SchemaPart[]): unknown[] => [
  ...keywordIn(parts, 'example'),
  ...listsIn(parts, 'examples'),
  ...keywordIn(parts, 'default'),
];

/** The constants that all parts allow; `undefined` if any value may fit. */
const constantsIn = (parts: readonly SchemaPart[]): readonly unknown[] | undefined => {
  const lists = parts.flatMap(({ schema }) => [
    ...(isTree(schema) && 'const' in schema ? [[schema.const]] : []),
    ...keywordIn([{ schema, at: undefined }], 'enum').filter(Array.isArray),
  ]);
  const [first, ...others] = lists;
  const identities = others.map((list) => new Set(list.map(identify)));
  return first?.filter((value) => identities.every((known) => known.has(identify(value))));
};

/** Options for making a value. */
export interface MakeOptions {
  /** Finds whether the schema at a pointer accepts a value, given with its exact tree. */
  readonly acceptsAt?: (pointer: string) => (value: unknown, exact: unknown) => boolean;
  readonly isPartial?: boolean;
  /** Whether the value is for a request or a reply; a reply by default. */
  readonly direction?: Direction;
}

function* ofType(type: string, parts: readonly SchemaPart[], depth: number, make: Make): Generator<unknown> {
  if (type === 'object') yield* objectsOf(parts, depth, make);
  else if (type === 'array') yield* listsOf(parts, depth, make);
  else if (type === 'string') yield* textsOf(parts);
  else if (type === 'boolean') yield* [true, false];
  else if (type === 'null') yield null;
  else if (type === 'integer' || type === 'number') yield* numbersOf(parts, type === 'integer');
  else yield* ANYTHING;
}

/** Yields values that may fit a way to read these parts: stated values first, then at most `most` of each type. */
function* candidates(
  way: readonly SchemaPart[],
  depth: number,
  most: number,
  make: Make,
): Generator<unknown> {
  yield* statedIn(way);
  const constants = constantsIn(way);
  if (constants) yield* constants;
  else for (const type of typesIn(way) ?? []) yield* take(most, ofType(type, way, depth, make));
  if (!constants && !typesIn(way)) yield* ANYTHING;
}

/** Whether a made value fits all parts. */
const fits = (
  parts: readonly SchemaPart[],
  made: unknown,
  acceptsAt: NonNullable<MakeOptions['acceptsAt']>,
): boolean => {
  const { value, exact } = fromDocument(made);
  return parts.every(({ at, schema }) => (at === undefined ? schema !== false : acceptsAt(at)(value, exact)));
};

/**
 * Creates a function that makes a value for the schema at a pointer: its example, default or constant, or else the
 * simplest value of its type. It returns `undefined` if there is no such value. With `acceptsAt` each value is
 * validated, and the next one is tried if it fails; that is slower, because every schema on the way is compiled.
 * `isPartial` omits required members without a value.
 */
export const createValues =
  (document: unknown) =>
  (pointer: string, { acceptsAt, isPartial = false, direction = 'reply' }: MakeOptions = {}) => {
    let visits = MOST_VISITS;

    function* values(parts: readonly SchemaPart[], depth: number, most: number): Generator<unknown> {
      for (const way of waysOf(document, parts, depth >= DEEP)) yield* candidates(way, depth, most, make);
    }

    const several: Make['several'] = (parts, depth, count) => {
      if (depth > (isPartial ? DEEP : TOO_DEEP) || count < 1) return [];
      const found = new Map<string, unknown>();
      // A few values of every branch come before all values of the first.
      for (const most of count === 1 ? [FEW, MOST_OF_TYPE] : [MOST_OF_TYPE + 2 * count]) {
        let tried = 0;
        visits -= 1;
        for (const value of take(10 * most, values(parts, depth, most))) {
          tried += 1;
          visits -= 1;
          if (visits < 0) return [];
          if (!acceptsAt || fits(parts, value, acceptsAt))
            found.set(count === 1 ? '' : identify(value), value);
          if (found.size >= count) return [...found.values()];
        }
        if (tried === 0 || visits < 0) break;
      }
      return [...found.values()];
    };

    const make: Make = {
      several,
      isPartial,
      isLeftOut: ({ at }) => at !== undefined && isLeftOut(document, at, direction),
    };
    return several([partAt(document, pointer)], 0, 1)[0];
  };
