import { isTree, ownMember, pointerTo, refAt, valueAt } from '../json/pointer.ts';
import { discriminatedAt } from '../schema/discriminator.ts';
import { exampleNumber, exampleText, numberIn } from './example-scalars.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Where a schema is put into the document to look for its discriminator. */
const PROBE = 'x-probe';

/** Below this depth only required members are made, so that a recursive schema comes to an end. */
const DEEP = 3;

/** Below this depth nothing is made: a schema that requires itself has no value at all. */
const TOO_DEEP = 32;

const listIn = (schema: unknown, key: string): readonly unknown[] => {
  const value = ownMember(schema, key);
  return Array.isArray(value) ? value : [];
};

const membersIn = (schema: unknown, key: string): Schema => {
  const value = ownMember(schema, key);
  return isTree(value) ? value : {};
};

const merge = (one: Schema, other: Schema): Schema => ({
  ...one,
  ...other,
  properties: { ...membersIn(one, 'properties'), ...membersIn(other, 'properties') },
  required: [...listIn(one, 'required'), ...listIn(other, 'required')],
});

/** The first type that is not null, or the one that the keywords imply. */
const typeOf = (schema: Schema): unknown => {
  const types = [ownMember(schema, 'type') ?? []].flat();
  if (types.length > 0) return types.find((type) => type !== 'null') ?? 'null';
  if (Object.keys(membersIn(schema, 'properties')).length > 0 || listIn(schema, 'required').length > 0)
    return 'object';
  return 'items' in schema || 'prefixItems' in schema ? 'array' : undefined;
};

/** Another value of the same type. */
const another = (value: unknown, nth: number): unknown => {
  if (nth === 0) return value;
  if (typeof value === 'number') return value + nth;
  return typeof value === 'string' ? `${value} ${nth + 1}` : value;
};

/**
 * Makes values that a schema of the document allows in a reply: the example, default or constant of the schema, or else the
 * simplest value of its type. It cannot make texts for a pattern; give such a schema an example.
 */
export const createExamples = (document: unknown) => {
  /** The member that a discriminator demands of the first alternative. */
  const discriminated = (schema: Schema): Schema => {
    const found = discriminatedAt({ ...(isTree(document) && document), [PROBE]: schema }, pointerTo(PROBE));
    const [value] = [...(found?.branches ?? [])].find(([, branch]) => branch.endsWith('/0')) ?? [];
    return found && value !== undefined
      ? { properties: { [found.property]: { const: value } }, required: [found.property] }
      : {};
  };

  /** A schema merged with everything that it refers to. */
  const flatten = (schema: unknown, depth = 0): Schema => {
    if (!isTree(schema) || depth > TOO_DEEP) return {};
    const target = refAt({ schema }, '/schema');
    const [alternative] = [...listIn(schema, 'oneOf'), ...listIn(schema, 'anyOf')];
    const parts = [
      target === undefined ? {} : valueAt(document, target),
      ...listIn(schema, 'allOf'),
      alternative,
    ];
    return [...parts.map((part) => flatten(part, depth + 1)), discriminated(schema), schema].reduce<Schema>(
      merge,
      {},
    );
  };

  const exampleObject = (schema: Schema, depth: number): object => {
    const required = new Set(listIn(schema, 'required'));
    const named = Object.entries(membersIn(schema, 'properties')).filter(
      ([name, member]) =>
        (required.has(name) || (depth < DEEP && member !== false)) &&
        ownMember(flatten(member), 'writeOnly') !== true,
    );
    const made = named.map(([name, member]) => [name, exampleOf(member, depth + 1)] as const);
    const others = Math.max(0, (numberIn(schema, 'minProperties') ?? 0) - made.length);
    const more = Array.from(
      { length: others },
      (_, index) =>
        [`member${index + 1}`, exampleOf(ownMember(schema, 'additionalProperties'), depth + 1)] as const,
    );
    const unnamed = [...required].filter((name) => !named.some(([known]) => known === name));
    return Object.fromEntries([...made, ...unnamed.map((name) => [String(name), null] as const), ...more]);
  };

  const exampleArray = (schema: Schema, depth: number): unknown[] => {
    const first = listIn(schema, 'prefixItems').map((item) => exampleOf(item, depth + 1));
    const items = ownMember(schema, 'items');
    const wanted = isTree(items) && depth < DEEP ? 1 : 0;
    const count = Math.max(numberIn(schema, 'minItems') ?? 0, first.length === 0 ? wanted : 0) - first.length;
    const most = (numberIn(schema, 'maxItems') ?? Infinity) - first.length;
    const rest = Array.from({ length: Math.max(0, Math.min(count, most)) }, (_, index) =>
      another(exampleOf(items, depth + 1), index),
    );
    return [...first, ...rest];
  };

  /** Makes an example for a schema. */
  const exampleOf = (schema: unknown, depth = 0): unknown => {
    if (depth > TOO_DEEP) return null;
    const whole = flatten(schema);
    const stated = [ownMember(whole, 'example'), listIn(whole, 'examples')[0], ownMember(whole, 'default')];
    const constants = ['const' in whole ? whole.const : undefined, listIn(whole, 'enum')[0]];
    const given = [...stated, ...constants].find((value) => value !== undefined);
    if (given !== undefined) return given;
    switch (typeOf(whole)) {
      case 'object':
        return exampleObject(whole, depth);
      case 'array':
        return exampleArray(whole, depth);
      case 'string':
        return exampleText(whole);
      case 'integer':
        return exampleNumber(whole, true);
      case 'number':
        return exampleNumber(whole, false);
      case 'boolean':
        return true;
      default:
        return null;
    }
  };

  return exampleOf;
};
