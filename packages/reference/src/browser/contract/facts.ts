import { ownMember, toJson } from '@trellis/openapi/internal/json';

/** A longer value is truncated within a line. */
const LONGEST = 200;

/** A value of the document in one line: as JSON, and exact. */
export const writeValue = (value: unknown): string => {
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
export const factsOf = (schemas: readonly unknown[]): string[] => {
  const facts = schemas.flatMap((schema) =>
    Object.entries(WORDS).flatMap(([keyword, say]) => {
      const value = ownMember(schema, keyword);
      return value === undefined ? [] : say(value, schema);
    }),
  );
  return [...new Set(facts)].filter(Boolean);
};
