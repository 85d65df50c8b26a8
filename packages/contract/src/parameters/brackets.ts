/**
 * Names with brackets, as Rails, PHP and the SDK of Stripe send them: `expand[]=a`, `expand[0]=a`, `line_items[0][price]=p`.
 * OpenAPI has them for one level of objects only (`deepObject`).
 */
import { getOrInsert, oncePerObject } from '@trellis/openapi/internal/json';
import { schemaMismatch } from '../problems/problem.ts';
import type { Leaf, Texts } from './styles.ts';

/** The values that were sent, by name. */
type SentAs<Raw> = ReadonlyMap<string, readonly Raw[]>;

/** One name with brackets, taken apart. */
interface Bracketed {
  /** The texts between its brackets. */
  readonly steps: readonly string[];
  /** The whole name. */
  readonly name: string;
}

/** How deep values may be nested. */
const DEEPEST = 10;

/** Splits `a[b][0]` into `a` and the texts between the brackets; `undefined` for a name of another form. */
export const splitName = (name: string): readonly [base: string, steps: readonly string[]] | undefined => {
  const start = name.indexOf('[');
  if (start < 1 || !name.endsWith(']')) return undefined;
  const steps = name.slice(start + 1, -1).split('][');
  return steps.some((step) => /[[\]]/.test(step)) ? undefined : [name.slice(0, start), steps];
};

/** A value in the making: either texts, or parts by name. */
interface Node {
  values?: readonly Leaf[];
  parts?: Map<string, Node>;
}

const refuse = (place: string, message: string): never => {
  throw schemaMismatch([{ place, message }]);
};

const addTo = (root: Node, { name, steps }: Bracketed, values: readonly Leaf[], place: string): void => {
  if (steps.length > DEEPEST) refuse(place, `is nested too deeply in ${name}`);
  let node = root;
  for (const step of steps) {
    if (node.values) refuse(place, `is sent in one piece and in parts: ${name}`);
    node.parts ??= new Map();
    node = getOrInsert(node.parts, step, () => ({}));
  }
  if (node.parts) refuse(place, `is sent in one piece and in parts: ${name}`);
  node.values = values;
};

/** The nth of the values that were sent under each name below a node. */
const pickFrom = ({ values, parts }: Node, nth: number): Node =>
  parts
    ? { parts: new Map([...parts].map(([step, part]) => [step, pickFrom(part, nth)])) }
    : { values: values?.slice(nth, nth + 1) ?? [] };

const countsIn = ({ values = [], parts }: Node): number[] =>
  parts ? [...parts.values()].flatMap(countsIn) : [values.length];

/** The items of `a[]`. Several objects (`a[][b]=1&a[][c]=2`) must each have all members, to be distinguishable. */
const itemsOf = (item: Node, place: string): Texts => {
  if (item.values) return item.values;
  const counts = countsIn(item);
  const [count = 0] = counts;
  if (counts.some((other) => other !== count))
    refuse(place, 'has items that cannot be told apart; number them');
  if (count === 1) return [toTexts(item, place)]; // a copy for each level would be quadratic in the depth
  return Array.from({ length: count }, (_, nth) => toTexts(pickFrom(item, nth), place));
};

const toTexts = ({ values = [], parts }: Node, place: string): Texts => {
  if (!parts) return values.length === 1 ? (values[0] ?? '') : values;
  const item = parts.get('');
  if (item && parts.size > 1) refuse(place, 'has both [] and names or numbers in brackets');
  if (item) return itemsOf(item, place);
  return Object.fromEntries([...parts].map(([step, part]) => [step, toTexts(part, place)]));
};

/** Whether the names of members are 0, 1, 2 and so on. JavaScript keeps such names in order. */
export const isNumbered = (texts: object): boolean =>
  Object.keys(texts).every((name, nth) => name === `${nth}`);

/** Groups names with brackets by their base names. */
const groupByBase = (sent: SentAs<unknown>): ReadonlyMap<string, readonly Bracketed[]> => {
  const groups = new Map<string, Bracketed[]>();
  for (const name of sent.keys()) {
    const split = splitName(name);
    if (split) getOrInsert(groups, split[0], () => []).push({ steps: split[1], name });
  }
  return groups;
};

/** All parameters of a request read from the same `Sent`. */
const groupsIn = oncePerObject(groupByBase);

/** How names with brackets are read. */
export interface BracketRules {
  readonly name: string;
  /** The value, as messages call it. */
  readonly place: string;
  /** The declared names. A declared name with brackets is a separate value. */
  readonly declared: ReadonlySet<string>;
  /** Whether the value must be a list. */
  readonly isList: boolean;
}

/** Reads the texts sent under a name with brackets; `undefined` if none were sent. Throws 400 if they are ambiguous. */
export const readBrackets = <Raw>(
  { name, place, declared, isList }: BracketRules,
  sent: SentAs<Raw>,
  decode: (raw: Raw) => Leaf,
): Texts | undefined => {
  const found = groupsIn(sent)
    .get(name)
    ?.filter((each) => !declared.has(each.name));
  if (!found || found.length === 0) return undefined;
  if (sent.has(name)) refuse(place, `is sent as ${name} and as ${found[0]?.name}; send one of them`);
  const root: Node = {};
  for (const each of found) addTo(root, each, (sent.get(each.name) ?? []).map(decode), place);
  const texts = toTexts(root, place);
  if (isList && typeof texts === 'object' && !Array.isArray(texts) && !isNumbered(texts))
    refuse(place, 'must be numbered [0], [1] and so on, without gaps and other names');
  return texts;
};
