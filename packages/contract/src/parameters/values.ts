import {
  type ExactValue,
  listOf,
  objectOf,
  once,
  oncePerKey,
  oncePerObject,
  plainValue,
  valueAt,
} from '@trellis/openapi/internal/json';
import { membersAt, membersOf, placesOf, subtypesAt, typesOf } from '@trellis/openapi/internal/schema';
import type { Accepts, AcceptsAt } from '../validation/references.ts';
import { isNumbered } from './brackets.ts';
import type { Leaf, Texts } from './styles.ts';

/** Reads a value from sent values; `undefined` if it cannot be read this way. */
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
 * Tries each way until the schema accepts the result: `50` is a text if integers must be at most 10. If it accepts
 * none, the first result is returned, and validation reports its violations. A single way is not checked.
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

type Composite = Exclude<Texts, Leaf>;

const isLeaf = (texts: Texts): texts is Leaf => typeof texts === 'string' || texts instanceof Uint8Array;

/** Compiles how a leaf is read, by the schemas at several pointers, with how they read a text. */
export type LeafReader = (
  pointers: readonly string[],
  readText: (text: string) => ExactValue,
) => (leaf: Leaf) => ExactValue;

const textReader: LeafReader = (_pointers, readText) => (leaf) => readText(String(leaf));

/** How many texts are read in all ways together, so that many branches do not multiply a long list. */
const MAX_READ = 30_000;
/** How many ways are tried, however many texts there are: all branches together, and two of them alone. */
const FEW_WAYS = 3;

/** Numbered members as a list, unless the schema is about objects only. */
const asList = (texts: Composite, types: ReadonlySet<string>): Composite =>
  !Array.isArray(texts) && (types.size === 0 || types.has('array')) && isNumbered(texts)
    ? Object.values(texts)
    : texts;

/** Whether any of the schemas at several pointers accepts a value. */
export const acceptedBy = (acceptsAt: AcceptsAt, pointers: readonly string[]): Accepts => {
  const accepts = pointers.map(acceptsAt);
  return (value, exact) => accepts.some((each) => each(value, exact));
};

/** Compiles how a text is read to which the schemas at several pointers may apply. */
const createScalars =
  (document: unknown, acceptsAt: AcceptsAt) =>
  (pointers: readonly string[]): ((text: string) => ExactValue) => {
    const typesAt = pointers.map((pointer) => typesOf(document, pointer));
    const types = new Set(typesAt.flatMap((each) => [...each]));
    const scalars = SCALARS.filter(([type]) => types.has(type)).map(([, read]) => read);
    const isOpen = (pointer: string, nth: number) =>
      typesAt[nth]?.size === 0 || placesOf(document, pointer).length > 1; // a branch may leave the type open
    const mayBeText = types.has('string') || pointers.some(isOpen);
    const ways = mayBeText ? [...scalars, plainValue] : scalars;
    const read = firstAccepted(ways, acceptedBy(acceptsAt, pointers));
    return (text) => read(text) ?? plainValue(text);
  };

/** The schemas by which a value may be read: all that apply to it together, each of them, and each subtype of a base. */
export const readingsAt = (document: unknown, pointer: string): readonly string[] => [
  ...new Set(placesOf(document, pointer).flatMap((at) => [at, ...(subtypesAt(document, at)?.all ?? [])])),
];

/** The members that any of these schemas declares. */
export const membersReadAt = (document: unknown, pointer: string): readonly string[] => [
  ...new Set(readingsAt(document, pointer).flatMap((at) => membersOf(document, at))),
];

/** Reads values by the first of several ways, of which few are tried for many values. */
export const readFirst =
  <Sent>(ways: readonly Read<Sent>[], accepts: Accepts) =>
  (sent: Sent, count: number): ExactValue | undefined =>
    firstAccepted(ways.slice(0, Math.max(FEW_WAYS, MAX_READ / count)), accepts)(sent);

/** Creates a value of parts: a list, or an object. */
const composed = (texts: Composite, read: (part: Texts, name: string) => ExactValue): ExactValue =>
  Array.isArray(texts)
    ? listOf(texts.map((part, nth) => read(part, `${nth}`)))
    : objectOf(Object.entries(texts).map(([name, part]) => [name, read(part, name)]));

/** Compiles how the texts of a parameter become the value that its schema describes. */
export const createTyping = (document: unknown, acceptsAt: AcceptsAt, leafAt = textReader) => {
  const scalarAt = createScalars(document, acceptsAt);
  const readOpen = leafAt([], plainValue);

  /** Texts that no schema describes. */
  const untyped = (texts: Texts): ExactValue =>
    isLeaf(texts) ? readOpen(texts) : composed(asList(texts, new Set()), untyped);

  /** One value, which may have parts, and to which the schemas at several pointers may apply. */
  const partAt = (pointers: readonly string[]) => {
    const scalar = leafAt(pointers, scalarAt(pointers));
    const accepts = acceptedBy(acceptsAt, pointers);
    const composite = once(() => firstAccepted(pointers.map(compositeAt), accepts)); // its schemas may be recursive
    const takesLists = pointers.some((pointer) => typesOf(document, pointer).has('array'));
    return (texts: Texts): ExactValue => {
      if (!isLeaf(texts)) return composite()(texts) ?? untyped(texts);
      const list = takesLists ? composite()([texts]) : undefined; // a single text is a list of one
      return list && accepts(list.value, list.exact) ? list : scalar(texts);
    };
  };

  /** Several values, by the schema at a pointer. Each is read by all branches of the schema together. */
  const partsAt = (pointer: string) => {
    const at = (...steps: readonly string[]) => membersAt(document, pointer, ...steps);
    const first = at('prefixItems').flatMap((place) => Object.keys(valueAt(document, place) ?? {}));
    const namedBy = (keyword: string, names: readonly string[]) =>
      new Map(names.map((name) => [name, partAt(at(keyword, name))]));
    const [items, members] = [
      namedBy('prefixItems', first),
      namedBy('properties', membersOf(document, pointer)),
    ];
    const [item, other] = [partAt(at('items')), partAt(at('additionalProperties'))];

    return (texts: Composite): ExactValue => {
      const [named, rest] = Array.isArray(texts) ? [items, item] : [members, other];
      const readRest = oncePerKey(rest);
      return composed(texts, (part, name) => (named.get(name) ?? readRest)(part));
    };
  };

  /** Reads by all branches together, then by each branch alone: a branch may accept a value that another prevents. */
  const compositeAt = oncePerKey((pointer: string) => {
    const types = typesOf(document, pointer);
    const read = readFirst(readingsAt(document, pointer).map(partsAt), acceptsAt(pointer));
    // Each branch of the surrounding schema reads again: without this cache, the work would double with every level.
    return oncePerObject((given: Composite): ExactValue => {
      const texts = asList(given, types);
      return read(texts, Object.keys(texts).length) ?? untyped(texts);
    });
  });

  return (pointer: string) => partAt([pointer]);
};
