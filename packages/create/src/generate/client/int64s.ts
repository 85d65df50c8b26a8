/** Describes the places of int64s in values to the client, which has no schemas at run time. */

import { isInt64 } from '@trellis/contract/internal';
import { getOrInsert, isTree, ownMember, pointerTo, refAt, valueAt } from '@trellis/openapi/internal/json';
import { discriminatedAt, placesOf, subtypesAt, throughRefs } from '@trellis/openapi/internal/schema';
import { type Code, codeOf, literalOf } from '../../literal.ts';

/** Keywords with values, not schemas; in a large contract they are most of the text. */
const EXAMPLES = new Set(['example', 'examples']);

/** The pointers of all schemas that contain an int64, directly or by reference. */
const findHolders = (document: unknown): ReadonlySet<string> => {
  const holders = new Set<string>();
  const referrers = new Map<string, string[]>();
  const pending: string[] = [];
  const walk = (value: unknown, pointer: string): void => {
    if (!isTree(value)) return;
    if (isInt64(value)) pending.push(pointer);
    const target = refAt({ value }, '/value');
    if (target !== undefined) getOrInsert(referrers, target, () => []).push(pointer);
    for (const subtype of [...(subtypesAt(document, pointer)?.named.values() ?? [])].flat())
      getOrInsert(referrers, subtype, () => []).push(pointer);
    const isNamed = pointer.endsWith('/properties');
    for (const [key, member] of Object.entries(value))
      if (isNamed || !EXAMPLES.has(key)) walk(member, pointer + pointerTo(key));
  };
  walk(document, '');
  for (let found = pending.pop(); found !== undefined; found = pending.pop()) {
    for (let here = found; here !== '' && !holders.has(here); here = here.slice(0, here.lastIndexOf('/'))) {
      holders.add(here);
      pending.push(...(referrers.get(here) ?? []));
    }
  }
  return holders;
};

/** An int64, or null, and nothing else. */
const isPlain = (schema: unknown): boolean =>
  isInt64(schema) &&
  [ownMember(schema, 'type')].flat().every((type) => type === 'integer' || type === 'null');

/** The schemas that apply to one value, without the branches that a discriminator has not named. */
interface Schemas {
  readonly pointers: readonly string[];
  readonly unnamed: readonly string[];
  /** The unions whose branch is named already. */
  readonly decided: readonly string[];
}

/** The descriptions of a document. Each is a constant, so that recursive schemas work, and a bundler drops unused ones. */
interface Descriptions {
  readonly document: unknown;
  /** The pointers of all schemas that contain an int64. */
  readonly holders: ReadonlySet<string>;
  /** The name of the constant for each set of schemas. */
  readonly names: Map<string, string>;
  readonly texts: string[];
  /** Whether the constant for a plain int64 is used. */
  usesPlain: boolean;
}

/** Refers to the description of the values of some schemas; `undefined` if they contain no int64. */
const refer = (all: Descriptions, { pointers, unnamed, decided }: Schemas): Code | undefined => {
  const { document, holders, names, texts } = all;
  const holding = [...new Set(pointers.map((at) => throughRefs(document, at)))].sort();
  if (!holding.some((at) => holders.has(at))) return undefined;
  if (holding.length === 1 && isPlain(valueAt(document, holding[0] ?? ''))) {
    all.usesPlain = true;
    return codeOf('() => int64');
  }
  const key = JSON.stringify([holding, unnamed, decided]);
  const known = names.get(key);
  if (known !== undefined) return codeOf(`() => ${known}`);
  const name = `int64s${names.size + 1}`;
  names.set(key, name); // before its parts, so that a recursive schema finds itself
  const nth = texts.push('') - 1;
  const description = describe(all, { pointers: holding, unnamed, decided });
  texts[nth] = `const ${name}: Int64s = ${literalOf(description)};\n`;
  return codeOf(`() => ${name}`);
};

const referAll = (all: Descriptions, pointers: readonly string[]): Code | undefined =>
  refer(all, { pointers, unnamed: [], decided: [] });

/**
 * Describes a value. Several schemas that apply to it are merged, since without a discriminator the branches of a union
 * cannot be distinguished.
 */
const describe = (all: Descriptions, schemas: Schemas): object => {
  const { document } = all;
  const seen = new Set(schemas.unnamed);
  const places = schemas.pointers.flatMap((at) => placesOf(document, at, undefined, seen));
  const schemasUnder = (...steps: readonly string[]): string[] =>
    places.map((at) => at + pointerTo(...steps)).filter((at) => valueAt(document, at) !== undefined);
  const referTo = (...steps: readonly string[]): Code | undefined => referAll(all, schemasUnder(...steps));
  const namesUnder = (keyword: string): string[] => [
    ...new Set(places.flatMap((at) => Object.keys(ownMember(valueAt(document, at), keyword) ?? {}))),
  ];
  const others = referAll(all, [
    ...schemasUnder('additionalProperties'),
    ...schemasUnder('unevaluatedProperties'),
  ]);
  /** The names under a keyword; names without int64s only where another description would apply to them. */
  const entriesUnder = (keyword: string) =>
    namesUnder(keyword).flatMap((name) => {
      const at = referTo(keyword, name);
      return at || others ? [[name, at ?? null] as const] : [];
    });
  const [members, patterns] = [entriesUnder('properties'), entriesUnder('patternProperties')];
  const first = namesUnder('prefixItems').map((index) => referTo('prefixItems', index) ?? null);
  const itemsAt = ['items', 'unevaluatedItems', 'contains'].flatMap((keyword) => schemasUnder(keyword));
  return {
    self: places.some((at) => isInt64(valueAt(document, at))) ? true : undefined,
    members: members.length > 0 ? Object.fromEntries(members) : undefined,
    patterns: patterns.length > 0 ? patterns : undefined,
    others,
    first: first.length > 0 ? first : undefined,
    items: referAll(all, itemsAt),
    tagged: describeTagged(all, schemas, places),
  };
};

/** The schemas that each value of a discriminator names: a branch of its union, or a subtype of its base. */
const taggedAt = (document: unknown, at: string, { pointers, unnamed }: Schemas) => {
  const union = discriminatedAt(document, at);
  if (!union) {
    const subtypes = subtypesAt(document, at);
    const named = [...(subtypes?.named ?? [])].map(
      ([tag, more]) => [tag, { pointers: [...pointers, ...more], unnamed }] as const,
    );
    return subtypes && { by: subtypes.property, named };
  }
  const branches = [...new Set(union.branches.values())];
  const named = [...union.branches].map(([tag, branch]) => {
    const others = branches.filter((other) => other !== branch);
    return [tag, { pointers, unnamed: [...unnamed, ...others].sort() }] as const;
  });
  return { by: union.property, named };
};

/** Describes the first discriminator that is not decided yet. */
const describeTagged = (all: Descriptions, schemas: Schemas, places: readonly string[]) => {
  const [first, second] = places
    .filter((at) => !schemas.decided.includes(at))
    .flatMap((at) => {
      const found = taggedAt(all.document, at, schemas);
      return found ? [{ ...found, decided: [...schemas.decided, at] }] : [];
    });
  if (!first) return undefined;
  const { by, named, decided } = first;
  const entries = named.flatMap(([tag, more]) => {
    const found = refer(all, { ...more, decided });
    return found ? [[tag, found] as const] : [];
  });
  const other = second && refer(all, { ...schemas, decided });
  return { by, as: Object.fromEntries(entries), ...(other && { other }) };
};

/** Creates the descriptions of the int64s in the values of schemas. */
export const createInt64s = (document: unknown) => {
  const holders = findHolders(document);
  const all: Descriptions = { document, holders, names: new Map(), texts: [], usesPlain: false };
  return {
    /** Refers to the description of the values of schemas; `undefined` if they contain no int64. */
    referTo: (...schemasAt: readonly string[]): Code | undefined => referAll(all, schemasAt),
    /** Renders all descriptions that are referred to. */
    render: (): string =>
      (all.usesPlain ? 'const int64: Int64s = { self: true };\n' : '') + all.texts.join(''),
  };
};
