import { type ExactValue, listOf, objectOf, plainValue } from '../json/exact-value.ts';
import { oncePerKey } from '../json/once.ts';
import { valueAt } from '../json/pointer.ts';
import type { Accepts, AcceptsAt } from '../schema/branches.ts';
import { membersAt, membersOf, placesOf, typesOf } from '../schema/shape.ts';
import type { Texts } from './styles.ts';

/** Makes a value of what was sent; `undefined` if it cannot be read that way. */
export type Read<Sent> = (sent: Sent) => ExactValue | undefined;

/** Strictly decimal: `0x10`, ` 5`, `1e3` and `007` are no integers in a URL. */
const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** How a text is read as each type, the most telling first. */
const SCALARS: readonly (readonly [type: string, read: Read<string>])[] = [
  ['integer', (text) => (INTEGER.test(text) ? { value: Number(text), exact: text } : undefined)],
  ['number', (text) => (NUMBER.test(text) ? { value: Number(text), exact: text } : undefined)],
  ['boolean', (text) => (text === 'true' || text === 'false' ? plainValue(text === 'true') : undefined)],
  ['null', (text) => (text === 'null' ? plainValue(null) : undefined)],
];

/**
 * Reads in the first way whose outcome is accepted: `50` is a text where an integer may be 10 at most. If none is, in the
 * first way that there is, and the schema says what it wanted. Where there is but one, nobody is asked.
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
  /** Whether it is known that no schema accepts it. */
  readonly refused: boolean;
}

/** How many readings of several texts the schema of all of them is asked about, if they are many thousands. */
const FEW_READINGS = 5;

/** Of how many texts together it is asked, so that a short list is tried in every way that there is. */
const MAX_ASKED = 50_000;

/** Equal for two readings of the same texts that are equal: a text can be a number, a boolean, null or itself. */
const signatureOf = (readings: readonly Reading[]): string => {
  let signature = '';
  for (const { typed } of readings) signature += typed.value === null ? '0' : (typeof typed.value)[0];
  return signature;
};

type Composite = Exclude<Texts, string>;

/** Several values as one, under their names where they have names. */
const assemble = (texts: Composite, readings: readonly Reading[]): ExactValue => {
  if (Array.isArray(texts)) return listOf(readings.map(({ typed }) => typed));
  const names = Object.keys(texts);
  return objectOf(readings.map(({ typed }, nth) => [names[nth] ?? '', typed]));
};

/** Compiles the way from the texts of a parameter to the value that its schema describes. */
export const createTyping = (document: unknown, acceptsAt: AcceptsAt) => {
  /** One value, of which the schemas at several pointers may have a say. */
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
      // Of a text that can be read in one way only, nobody is asked.
      if (second === undefined) return { typed: first, refused: false };
      const accepted = readings.find(({ value, exact }) => accepts.some((each) => each(value, exact)));
      return { typed: accepted ?? first, refused: accepted === undefined };
    };
  };

  /** Several values, by all that the schema at a pointer says of them; as far as the first that is refused, if asked so. */
  const compositeAt = (pointer: string) => {
    const at = (...steps: readonly string[]) => membersAt(document, pointer, ...steps);
    const first = at('prefixItems').flatMap((place) => Object.keys(valueAt(document, place) ?? {}));
    const firstItems = [...new Set(first)].map((index) => scalarAt(at('prefixItems', index)));
    const item = scalarAt(at('items'));
    const names = membersOf(document, pointer);
    const members = new Map(names.map((name) => [name, scalarAt(at('properties', name))]));
    const other = scalarAt(at('additionalProperties'));

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
   * Reads as all branches together would have it, then as each of them alone would: one of them may accept what the
   * others prevent. A branch that refuses one of the values is left at that value, and what was asked is not asked again.
   */
  const compositesAt = (pointer: string) => {
    const whole = compositeAt(pointer);
    const branches = placesOf(document, pointer).slice(1).map(compositeAt);
    const accepts = acceptsAt(pointer);
    return (texts: Composite): ExactValue => {
      const readings = whole(texts, false);
      const first = assemble(texts, readings);
      if (branches.length === 0 || accepts(first.value, first.exact)) return first;
      const known = new Set([signatureOf(readings)]);
      for (const branch of branches) {
        if (known.size >= FEW_READINGS && known.size * readings.length >= MAX_ASKED) break;
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
  };

  return (pointer: string) => {
    const scalar = scalarAt([pointer]);
    const composite = compositesAt(pointer);
    return (texts: Texts): ExactValue => (typeof texts === 'string' ? scalar(texts).typed : composite(texts));
  };
};
