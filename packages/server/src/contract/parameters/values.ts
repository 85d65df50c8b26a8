import {
  type ExactValue,
  getOrInsert,
  isTree,
  listOf,
  objectOf,
  once,
  oncePerKey,
  plainValue,
  valueAt,
} from '@trellis/openapi/json';
import { membersAt, membersOf, placesOf, typesOf } from '@trellis/openapi/schema';
import type { Accepts, AcceptsAt } from '../validation/branches.ts';
import { isNumbered } from './brackets.ts';
import type { Texts } from './styles.ts';

/** Reads a value from what was sent; `undefined` if it cannot be read this way. */
export type Read<Sent> = (sent: Sent) => ExactValue | undefined;

/** Strictly decimal: `0x10`, ` 5`, `1e3` and `007` are not integers in a URL. */
const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** How a text is read as each type, the most specific first. */
const SCALARS: readonly (readonly [type: string, read: Read<string>])[] = [
  ['integer', (text) => (INTEGER.test(text) ? { value: Number(text), exact: text } : undefined)],
  ['number', (text) => (NUMBER.test(text) ? { value: Number(text), exact: text } : undefined)],
  ['boolean', (text) => (text === 'true' || text === 'false' ? plainValue(text === 'true') : undefined)],
  ['null', (text) => (text === 'null' ? plainValue(null) : undefined)],
];

/**
 * Reads in the first way whose outcome the schema accepts: `50` is a text if integers must be at most 10. If it accepts none,
 * the first outcome counts, and validation says what is wrong. A single way is not checked.
 */
export const firstAccepted =
  <Sent>(ways: readonly Read<Sent>[], accepts: Accepts): Read<Sent> =>
  (sent) => {
    let first: ExactValue | undefined;
    for (const read of ways) {
      const typed = read(sent);
      if (typed === undefined) continue;
      if (ways.length === 1 || accepts(typed.value, typed.exact)) return typed;
      first ??= typed;
    }
    return first;
  };

/** One text that was read. */
interface Reading {
  readonly typed: ExactValue;
  /** Whether no schema accepts it. */
  readonly refused: boolean;
}

/** How many readings of thousands of texts are checked against the schema. */
const FEW_READINGS = 5;

/** How many texts are checked in all readings together: a short list is tried in every way. */
const MAX_CHECKED = 50_000;

/** The same for equal readings of the same texts: each is read as a number, a boolean, null or a text, or has parts. */
const signatureOf = (readings: readonly Reading[]): string => {
  let signature = '';
  for (const { typed } of readings) {
    const { value } = typed;
    signature += isTree(value) ? JSON.stringify(value) : value === null ? '0' : (typeof value)[0];
  }
  return signature;
};

type Composite = Exclude<Texts, string>;

/** Numbered members as a list, unless the schema is about objects only. */
const asList = (texts: Composite, types: ReadonlySet<string>): Composite =>
  !Array.isArray(texts) && (types.size === 0 || types.has('array')) && isNumbered(texts)
    ? Object.values(texts)
    : texts;

/** Texts that no schema describes. */
const untyped = (texts: Texts): unknown => {
  if (typeof texts === 'string') return texts;
  const parts = asList(texts, new Set());
  return Array.isArray(parts)
    ? parts.map(untyped)
    : Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, untyped(part)]));
};

/** Several values as one list, or as one object if they have names. */
const assemble = (texts: Composite, readings: readonly Reading[]): ExactValue => {
  if (Array.isArray(texts)) return listOf(readings.map(({ typed }) => typed));
  const names = Object.keys(texts);
  return objectOf(readings.map(({ typed }, nth) => [names[nth] ?? '', typed]));
};

/** Compiles how the texts of a parameter become the value that its schema describes. */
export const createTyping = (document: unknown, acceptsAt: AcceptsAt) => {
  /** One value, to which the schemas at several pointers may apply. */
  const scalarAt = (pointers: readonly string[]) => {
    const typesAt = pointers.map((pointer) => typesOf(document, pointer));
    const types = new Set(typesAt.flatMap((each) => [...each]));
    const scalars = SCALARS.filter(([type]) => types.has(type)).map(([, read]) => read);
    const isOpen = (pointer: string, nth: number) =>
      typesAt[nth]?.size === 0 || placesOf(document, pointer).length > 1; // a branch may leave the type open
    const mayBeText = types.has('string') || pointers.some(isOpen);
    const ways = mayBeText ? [...scalars, plainValue] : scalars;
    const accepts = pointers.map(acceptsAt);
    return (text: string): Reading => {
      const readings: ExactValue[] = [];
      for (const read of ways) {
        const typed = read(text);
        if (typed !== undefined) readings.push(typed);
      }
      const [first, second] = readings;
      if (first === undefined) return { typed: plainValue(text), refused: types.size > 0 };
      // A text that can be read in one way only is not checked.
      if (second === undefined) return { typed: first, refused: false };
      const accepted = readings.find(({ value, exact }) => accepts.some((each) => each(value, exact)));
      return { typed: accepted ?? first, refused: accepted === undefined };
    };
  };

  /** One value, which may have parts, and to which the schemas at several pointers may apply. */
  const partAt = (pointers: readonly string[]) => {
    const scalar = scalarAt(pointers);
    const ways = once(() => pointers.map((pointer) => [compositesAt(pointer), acceptsAt(pointer)] as const));
    const takesLists = pointers.some((pointer) => typesOf(document, pointer).has('array'));
    const composite = (texts: Composite): Reading => {
      if (pointers.length === 0) return { typed: plainValue(untyped(texts)), refused: false };
      const readings = ways().map(([read, accepts]) => ({ typed: read(texts), accepts }));
      const accepted = readings.find(({ typed, accepts }) => accepts(typed.value, typed.exact));
      const { typed } = accepted ?? readings[0] ?? { typed: plainValue(untyped(texts)) };
      return { typed, refused: accepted === undefined };
    };
    return (texts: Texts): Reading => {
      if (typeof texts !== 'string') return composite(texts);
      const ofOne = takesLists ? composite([texts]) : undefined; // a single text is a list of one
      return ofOne && !ofOne.refused ? ofOne : scalar(texts);
    };
  };

  /** Several values, by the schema at a pointer. `toFirstRefused` stops at the first value that is refused. */
  const compositeAt = (pointer: string) => {
    const at = (...steps: readonly string[]) => membersAt(document, pointer, ...steps);
    const first = at('prefixItems').flatMap((place) => Object.keys(valueAt(document, place) ?? {}));
    const firstItems = [...new Set(first)].map((index) => partAt(at('prefixItems', index)));
    const item = partAt(at('items'));
    const names = membersOf(document, pointer);
    const members = new Map(names.map((name) => [name, partAt(at('properties', name))]));
    const other = partAt(at('additionalProperties'));

    return (texts: Composite, toFirstRefused: boolean): Reading[] => {
      const isList = Array.isArray(texts);
      const sentNames = isList ? undefined : Object.keys(texts);
      const readRest = oncePerKey(isList ? item : other);
      const readings: Reading[] = [];
      for (const [nth, text] of (isList ? texts : Object.values(texts)).entries()) {
        const read = (sentNames ? members.get(sentNames[nth] ?? '') : firstItems[nth]) ?? readRest;
        const reading = read(text);
        readings.push(reading);
        if (toFirstRefused && reading.refused) break;
      }
      return readings;
    };
  };

  /**
   * Reads by all branches together, then by each of them alone: one may accept what others prevent. A branch is given up at
   * the first value that it refuses, and equal readings are checked only once.
   */
  const compositesAt = oncePerKey((pointer: string) => {
    const types = typesOf(document, pointer);
    const whole = compositeAt(pointer);
    const branches = placesOf(document, pointer).slice(1).map(compositeAt);
    const accepts = acceptsAt(pointer);
    const read = (given: Composite): ExactValue => {
      const texts = asList(given, types);
      const readings = whole(texts, false);
      const first = assemble(texts, readings);
      if (branches.length === 0 || accepts(first.value, first.exact)) return first;
      const known = new Set([signatureOf(readings)]);
      for (const branch of branches) {
        if (known.size >= FEW_READINGS && known.size * readings.length >= MAX_CHECKED) break;
        const others = branch(texts, true);
        if (others.at(-1)?.refused) continue;
        const signature = signatureOf(others);
        if (known.has(signature)) continue;
        known.add(signature);
        const typed = assemble(texts, others);
        if (accepts(typed.value, typed.exact)) return typed;
      }
      return first;
    };
    if (branches.length === 0) return read;
    // Each branch of the schema around this one asks again: without this, the work would double with every level.
    const known = new WeakMap<Composite, ExactValue>();
    return (texts: Composite): ExactValue => getOrInsert(known, texts, read);
  });

  return (pointer: string) => {
    const scalar = scalarAt([pointer]);
    const composite = compositesAt(pointer);
    return (texts: Texts): ExactValue => (typeof texts === 'string' ? scalar(texts).typed : composite(texts));
  };
};
