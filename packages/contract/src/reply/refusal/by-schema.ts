import { sentenceOf } from '@trellis/openapi/internal/json';
import {
  below,
  createValues,
  keysIn,
  keywordIn,
  partAt,
  type SchemaPart,
  smallestIn,
  take,
  typesIn,
  waysOf,
} from '@trellis/openapi/internal/values';
import type { Refusal } from '../../problems/problem.ts';
import { isHolder, isLocation, locationOf, sayingOf, trueConstant } from './known-members.ts';

/** Writes a refusal as a value; `undefined` if this refusal has no such value. */
export type WriteRefusal = (refusal: Refusal) => unknown;

type Parts = readonly SchemaPart[];

/** A member of a body, by its name. */
interface Member {
  readonly name: string;
  readonly siblings: readonly string[];
  readonly depth: number;
}

/** Nothing is looked for below this depth: error bodies are flat, and schemas may be recursive. */
const DEEPEST = 4;

/** How many alternatives of a union are looked at. */
const MOST_ALTERNATIVES = 3;

/** Cuts a text to at most `most` code points, the unit that Ajv counts. */
export const cut = (text: string, most: number): string =>
  text.length > most ? Array.from(text).slice(0, most).join('') : text;

/** Splits a refusal into a separate refusal for each violation; returns the refusal itself if it has none. */
const splitRefusal = (refusal: Refusal): readonly Refusal[] =>
  refusal.violations.length === 0
    ? [refusal]
    : refusal.violations.map((violation) => ({
        ...refusal,
        message: sentenceOf(violation),
        violations: [violation],
      }));

/** Whether some types, of a schema that names any, have a value. */
const isOf = (types: readonly string[], value: unknown): boolean =>
  types.length === 0 ||
  types.includes(typeof value) ||
  (types.includes('integer') && Number.isInteger(value));

/** Compiles the value of a member that is neither a list nor an object, within the bounds of its schema. */
const compileScalar = ({ name, siblings }: Member, parts: Parts): WriteRefusal | undefined => {
  const saying = sayingOf(name, siblings);
  if (!saying) return undefined;
  const constants = [...keywordIn(parts, 'enum').flat(), ...keywordIn(parts, 'const')];
  if (constants.length > 0) return (refusal) => trueConstant(constants, refusal, saying(refusal));
  const types = typesIn(parts) ?? [];
  const longest = smallestIn(parts, 'maxLength') ?? Number.POSITIVE_INFINITY;
  const largest = smallestIn(parts, 'maximum') ?? Number.POSITIVE_INFINITY; // a code below 600 is the status
  return (refusal) => {
    const value = saying(refusal).find((each) => isOf(types, each) && !(Number(each) > largest));
    return typeof value === 'string' ? cut(value, longest) : value;
  };
};

/**
 * Compiles error bodies from the schemas that a contract declares. Members with well-known names describe the problem;
 * other required members get examples. The caller validates the result.
 */
export const createBodiesBySchema = (document: unknown) => {
  const makeValue = createValues(document);

  const alternativesOf = (parts: Parts): Parts[] => [
    ...take(MOST_ALTERNATIVES, waysOf(document, parts, false)),
  ];

  /** `undefined` if the schemas have no member of a known name. */
  const compile = (member: Member, parts: Parts): WriteRefusal | undefined => {
    if (member.depth > DEEPEST) return undefined;
    const types = typesIn(parts) ?? [];
    if (types.includes('object')) return compileObject(parts, member.depth + 1);
    if (!types.includes('array')) return compileScalar(member, parts);
    return isLocation(member.name) ? locationOf : compileList(parts, member.depth + 1);
  };

  const compileList = (parts: Parts, depth: number): WriteRefusal | undefined => {
    const [items = []] = alternativesOf(parts.flatMap((part) => below(part, 'items')));
    const item = compile({ name: 'message', siblings: [], depth }, items);
    return item && ((refusal) => splitRefusal(refusal).slice(0, smallestIn(parts, 'maxItems')).map(item));
  };

  const compileObject = (parts: Parts, depth: number): WriteRefusal | undefined => {
    const siblings = keysIn(parts, 'properties');
    const required = new Set(keywordIn(parts, 'required').flat());
    const known = new Map<string, WriteRefusal>();
    const examples: Record<string, unknown> = {};
    for (const name of siblings) {
      const own = parts.flatMap((part) => below(part, 'properties', name));
      const ways = alternativesOf(own);
      const way = ways.find((each) => typesIn(each)?.[0] !== 'null') ?? [];
      const isInside = (typesIn(way) ?? []).some((type) => type === 'object' || type === 'array');
      const isWanted = required.has(name) || isHolder(name) || !isInside;
      const write = isWanted ? compile({ name, siblings, depth }, way) : undefined;
      const at = own.find((part) => part.at !== undefined)?.at;
      if (write) known.set(name, write);
      else if (required.has(name)) {
        const [listed] = [...keywordIn(way, 'const'), ...keywordIn(way, 'enum').flat()];
        examples[name] = listed ?? (at && makeValue(at));
      }
    }
    if (known.size === 0) return undefined;
    return (refusal) => ({
      ...examples,
      ...Object.fromEntries([...known].map(([name, write]) => [name, write(refusal)])),
    });
  };

  /** The bodies that may fit the schema at a pointer, one for each alternative of a union. */
  return (at: string): WriteRefusal[] =>
    alternativesOf([partAt(document, at)]).flatMap(
      (way) => compile({ name: 'message', siblings: [], depth: 0 }, way) ?? [],
    );
};
