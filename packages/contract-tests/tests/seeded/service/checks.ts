import { isList, isMembers, sortedJson, type Value } from './json.ts';

/** Whether a value passes one check, such as `book.title.maxLength`. */
export type Check = (value: Value) => boolean;

/** Checks that deviate from the contract, by the name of the check. */
export type OtherChecks = Readonly<Record<string, Check>>;

/** The name of the first check that a value does not pass; `undefined` if it passes them all. */
export type Checker = (value: Value, at: string, other: OtherChecks) => string | undefined;

const check = (right: ReadonlyArray<readonly [keyword: string, Check]>): Checker => {
  return (value, at, other) => {
    const broken = right.find(([keyword, passes]) => !(other[`${at}.${keyword}`] ?? passes)(value));
    return broken && `${at}.${broken[0]}`;
  };
};

/** Every checker in turn. */
const all =
  (...checkers: readonly Checker[]): Checker =>
  (value, at, other) => {
    for (const checker of checkers) {
      const broken = checker(value, at, other);
      if (broken) return broken;
    }
    return undefined;
  };

const isText = (value: Value) => typeof value === 'string';
const ofText =
  (passes: (text: string) => boolean): Check =>
  (value) =>
    typeof value !== 'string' || passes(value);

/** A text; lengths count code points. */
export const text = (
  limits: { min?: number; max?: number; pattern?: RegExp; format?: (text: string) => boolean } = {},
): Checker => {
  const { min = 0, max = Number.POSITIVE_INFINITY, pattern = /^/, format = () => true } = limits;
  return check([
    ['type', isText],
    ['minLength', ofText((value) => [...value].length >= min)],
    ['maxLength', ofText((value) => [...value].length <= max)],
    ['pattern', ofText((value) => pattern.test(value))],
    ['format', ofText(format)],
  ]);
};

const isNumber = (value: Value) => typeof value === 'bigint' || typeof value === 'number';
const ofNumber =
  (passes: (number: bigint | number) => boolean): Check =>
  (value) =>
    (typeof value !== 'bigint' && typeof value !== 'number') || passes(value);

interface Bounds {
  readonly min?: number | bigint;
  readonly above?: number;
  readonly max?: number | bigint;
  readonly below?: number;
  readonly multipleOf?: Check;
}

const bounds = ({ min, above, max, below, multipleOf = () => true }: Bounds): Checker =>
  check([
    ['minimum', ofNumber((value) => min === undefined || value >= min)],
    ['exclusiveMinimum', ofNumber((value) => above === undefined || value > above)],
    ['maximum', ofNumber((value) => max === undefined || value <= max)],
    ['exclusiveMaximum', ofNumber((value) => below === undefined || value < below)],
    ['multipleOf', multipleOf],
  ]);

/** A number. */
export const number = (limits: Bounds = {}): Checker => all(check([['type', isNumber]]), bounds(limits));

/** An integer of any size. */
export const integer = (limits: Bounds = {}): Checker =>
  all(check([['type', (value) => typeof value === 'bigint']]), bounds(limits));

const signed = (bits: number, limits: Bounds) =>
  all(
    check([['type', (value) => typeof value === 'bigint']]),
    check([['format', (value) => typeof value !== 'bigint' || BigInt.asIntN(bits, value) === value]]),
    bounds(limits),
  );

/** An integer of 32 bits. */
export const int32 = (limits: Bounds = {}): Checker => signed(32, limits);

/** An integer of 64 bits. */
export const int64 = (limits: Bounds = {}): Checker => signed(64, limits);

/** True or false. */
export const boolean: Checker = check([['type', (value) => typeof value === 'boolean']]);

/** Accepts one of several texts. */
export const choice = (...values: readonly string[]): Checker =>
  check([['enum', (value) => typeof value === 'string' && values.includes(value)]]);

/** Accepts null, too. */
export const nullable =
  (checker: Checker): Checker =>
  (value, at, other) =>
    value === null ? undefined : checker(value, at, other);

const ofList =
  (passes: (list: readonly Value[]) => boolean): Check =>
  (value) =>
    !isList(value) || passes(value);

/** A list of items. */
export const list = (
  item: Checker,
  limits: { min?: number; max?: number; unique?: boolean } = {},
): Checker => {
  const { min = 0, max = Number.POSITIVE_INFINITY, unique = false } = limits;
  return all(
    check([
      ['type', isList],
      ['minItems', ofList((items) => items.length >= min)],
      ['maxItems', ofList((items) => items.length <= max)],
      ['uniqueItems', ofList((items) => !unique || new Set(items.map(sortedJson)).size === items.length)],
    ]),
    (value, at, other) => {
      if (!isList(value)) return undefined;
      for (const each of value) {
        const broken = item(each, `${at}.items`, other);
        if (broken) return broken;
      }
      return undefined;
    },
  );
};

interface Shape {
  readonly members: Readonly<Record<string, Checker>>;
  readonly required?: readonly string[];
  /** What other members must be; if it is missing, there may be none. */
  readonly others?: Checker;
  readonly more?: ReadonlyArray<readonly [keyword: string, Check]>;
}

/** An object. */
export const object = ({ members, required = [], others, more = [] }: Shape): Checker =>
  all(
    check([
      ['type', isMembers],
      ...required.map(
        (name) =>
          [`${name}.required`, (value: Value) => !isMembers(value) || Object.hasOwn(value, name)] as const,
      ),
      ...more,
    ]),
    (value, at, other) => {
      if (!isMembers(value)) return undefined;
      for (const [name, each] of Object.entries(value)) {
        const known = Object.hasOwn(members, name) ? members[name] : undefined;
        const closed = check([['additionalProperties', () => others !== undefined]]);
        const broken = known
          ? known(each, `${at}.${name}`, other)
          : (closed(value, at, other) ?? others?.(each, `${at}.others`, other));
        if (broken) return broken;
      }
      return undefined;
    },
  );

/** Anything at all. */
export const anything: Checker = () => undefined;
