import {
  isTree,
  ownMember,
  pointerSteps,
  pointerTo,
  refAt,
  toJson,
  valueAt,
} from '@trellis/openapi/internal/json';
import { placesOf } from '@trellis/openapi/internal/schema';
import { keywordIn } from '@trellis/openapi/internal/values';
import { textAt } from './outline.ts';

/** A member of an object. */
export interface Member {
  readonly name: string;
  readonly at: string;
  readonly isRequired: boolean;
}

/** A schema as the page shows it: references resolved, and its `allOf` merged. */
export interface Described {
  /** `string`, `array of Thing`, `Thing or null`. */
  readonly type: string;
  /** Such as `int64`; empty without a format. */
  readonly format: string;
  readonly description: string;
  /** Limits and defaults, a few words each. */
  readonly facts: readonly string[];
  /** The values that are allowed, if they are listed. */
  readonly values: readonly string[];
  readonly examples: readonly string[];
  readonly marks: readonly string[];
  readonly members: readonly Member[];
  /** The schema of further members, by name or pattern. */
  readonly others: readonly { readonly name: string; readonly at: string }[];
  readonly items: string | undefined;
  /** The alternatives, of which one or any must fit. */
  readonly variants: readonly { readonly name: string; readonly at: string }[];
  readonly choice: 'One of' | 'Any of';
}

/** A longer value is truncated within a line. */
const LONGEST = 200;

/** A value of the document in one line: as JSON, and exact. */
const writeValue = (value: unknown): string => {
  const text = typeof value === 'string' ? value : toJson(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
};

/** What each keyword says, in a few words. In OpenAPI 3.0 the exclusive limits are booleans. */
const WORDS: Readonly<Record<string, (value: unknown, schema: unknown) => string>> = {
  minimum: (value, schema) =>
    `${ownMember(schema, 'exclusiveMinimum') === true ? '>' : '≥'} ${writeValue(value)}`,
  maximum: (value, schema) =>
    `${ownMember(schema, 'exclusiveMaximum') === true ? '<' : '≤'} ${writeValue(value)}`,
  exclusiveMinimum: (value) => (value === true || value === false ? '' : `> ${writeValue(value)}`),
  exclusiveMaximum: (value) => (value === true || value === false ? '' : `< ${writeValue(value)}`),
  multipleOf: (value) => `multiple of ${writeValue(value)}`,
  minLength: (value) => `at least ${writeValue(value)} characters`,
  maxLength: (value) => `at most ${writeValue(value)} characters`,
  pattern: (value) => `matches ${writeValue(value)}`,
  minItems: (value) => `at least ${writeValue(value)} items`,
  maxItems: (value) => `at most ${writeValue(value)} items`,
  uniqueItems: (value) => (value === true ? 'no item twice' : ''),
  minProperties: (value) => `at least ${writeValue(value)} members`,
  maxProperties: (value) => `at most ${writeValue(value)} members`,
  contentEncoding: (value) => String(value),
  contentMediaType: (value) => String(value),
  additionalProperties: (value) => (value === false ? 'no other members' : ''),
  default: (value) => `default ${writeValue(value)}`,
};

/** The limits and defaults of schemas that hold together, a few words each. */
const factsOf = (schemas: readonly unknown[]): string[] => {
  const facts = schemas.flatMap((schema) =>
    Object.entries(WORDS).flatMap(([keyword, say]) => {
      const value = ownMember(schema, keyword);
      return value === undefined ? [] : say(value, schema);
    }),
  );
  return [...new Set(facts)].filter(Boolean);
};

/** The schema at a pointer, the targets of its references and its `allOf`, each once. */
const partsAt = (document: unknown, pointer: string) =>
  placesOf(document, pointer, ['allOf']).map((at) => ({ at, schema: valueAt(document, at) }));
type Parts = ReturnType<typeof partsAt>;

/** The name of the component that a schema is, or refers to. */
export const nameAt = (document: unknown, at: string): string | undefined => {
  const [first, second, name, ...deeper] = pointerSteps(refAt(document, at) ?? at);
  return first === 'components' && second === 'schemas' && deeper.length === 0 ? name : undefined;
};

/** The schemas below a keyword that holds several, in all parts. */
const below = (parts: Parts, keyword: string): { name: string; at: string }[] =>
  parts.flatMap(({ at, schema }) =>
    Object.keys(ownMember(schema, keyword) ?? {}).map((name) => ({
      name,
      at: at + pointerTo(keyword, name),
    })),
  );

const typesOf = (parts: Parts): string[] => {
  const types = [...new Set(keywordIn(parts, 'type').flat().map(String))];
  if (keywordIn(parts, 'nullable').includes(true)) types.push('null');
  if (types.length > 0) return types;
  if (keywordIn(parts, 'properties').length > 0) return ['object'];
  return keywordIn(parts, 'items').length > 0 ? ['array'] : [];
};

/** Formats a type for people. Named objects and unions are shown by name; deeply nested types without their items. */
export const typeAt = (document: unknown, at: string, depth = 0): string => {
  if (valueAt(document, at) === false) return 'nothing';
  const parts = partsAt(document, at);
  const types = typesOf(parts);
  const name = nameAt(document, at);
  const isScalar = types.some((type) => /^(?:string|number|integer|boolean)$/.test(type));
  if (name !== undefined && depth > 0 && !isScalar) return name;
  const items = parts.find(({ schema }) => isTree(ownMember(schema, 'items')));
  const words = types.map((type) => {
    if (type !== 'array' || !items) return type;
    return depth > 2 ? 'array' : `array of ${typeAt(document, items.at + pointerTo('items'), depth + 1)}`;
  });
  const unions = [...below(parts, 'oneOf'), ...below(parts, 'anyOf')];
  if (unions.length > 0 && words.length === 0)
    return depth > 2 || unions.length > 3
      ? 'several types'
      : [...new Set(unions.map((each) => typeAt(document, each.at, depth + 1)))].join(' or ');
  return words.join(' or ') || 'any';
};

const membersOf = (parts: Parts): Member[] => {
  const required = new Set(keywordIn(parts, 'required').flat());
  const members = new Map<string, Member>();
  for (const { name, at } of below(parts, 'properties'))
    if (!members.has(name)) members.set(name, { name, at, isRequired: required.has(name) });
  return [...members.values()].sort((one, other) => Number(other.isRequired) - Number(one.isRequired));
};

const MARKS = { readOnly: 'read only', writeOnly: 'write only', deprecated: 'deprecated' } as const;

/** Describes the schema at a pointer. */
export const describeSchema = (document: unknown, at: string): Described => {
  const parts = partsAt(document, at);
  const oneOf = below(parts, 'oneOf');
  const variants = oneOf.length > 0 ? oneOf : below(parts, 'anyOf');
  const constants = keywordIn(parts, 'const');
  const extra = parts.find(({ schema }) => isTree(ownMember(schema, 'additionalProperties')));
  const items = parts.find(({ schema }) => isTree(ownMember(schema, 'items')));
  return {
    type: typeAt(document, at),
    format: parts.map(({ schema }) => textAt(schema, 'format')).find(Boolean) ?? '',
    description: parts.map(({ schema }) => textAt(schema, 'description')).find(Boolean) ?? '',
    facts: factsOf(parts.map(({ schema }) => schema)),
    values: (constants.length > 0 ? constants : keywordIn(parts, 'enum').flat()).map(writeValue),
    examples: [...keywordIn(parts, 'example'), ...keywordIn(parts, 'examples').flat()].map(writeValue),
    marks: Object.entries(MARKS).flatMap(([keyword, mark]) =>
      keywordIn(parts, keyword).includes(true) ? [mark] : [],
    ),
    members: membersOf(parts),
    others: [
      ...below(parts, 'patternProperties').map(({ name, at }) => ({ name: `/${name}/`, at })),
      ...(extra ? [{ name: 'any other name', at: extra.at + pointerTo('additionalProperties') }] : []),
    ],
    items: items && items.at + pointerTo('items'),
    variants: variants.map(({ name, at: variant }) => ({
      name:
        nameAt(document, variant) ??
        (textAt(valueAt(document, variant), 'title') ||
          `${Number(name) + 1}: ${typeAt(document, variant, 1)}`),
      at: variant,
    })),
    choice: oneOf.length > 0 ? 'One of' : 'Any of',
  };
};
