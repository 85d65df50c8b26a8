import type { Side } from '../document/contract.ts';
import type { Written } from '../document/operations.ts';
import { isObject, type Json } from '../values/json.ts';
import { memberSchemasOf, type Schema, type SchemaObject } from '../values/schema.ts';

/** The text that stands for a scalar. */
export const textOf = (value: Json): string => String(Object.is(value, -0) ? 0 : value);

const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const typeOf = (value: Json): string => {
  if (value === null) return 'null';
  if (typeof value === 'bigint') return 'integer';
  return Array.isArray(value) ? 'array' : typeof value;
};

/** Knows what a text can be taken for, by a schema: everything is text on the wire. */
export const createReadings = ({ flatten, accepts }: Pick<Side, 'flatten' | 'accepts'>) => {
  /** The JSON types that a schema speaks of. */
  const typesOf = (schema: Schema): ReadonlySet<string> =>
    new Set(
      flatten(schema).flatMap(({ type = [], enum: allowed = [] }) => [type, allowed.map(typeOf)].flat(2)),
    );

  const scalarsOf = (text: string, schema: Schema): Json[] => {
    const types = typesOf(schema);
    const isNumeric = types.has('integer') || types.has('number');
    const readings: Json[] = [
      ...(isNumeric && INTEGER.test(text) ? [BigInt(text)] : []),
      ...(types.has('number') && NUMBER.test(text) && !INTEGER.test(text) ? [Number(text)] : []),
      ...(types.has('boolean') && (text === 'true' || text === 'false') ? [text === 'true'] : []),
      ...(types.has('null') && text === 'null' ? [null] : []),
    ];
    return types.has('string') || readings.length === 0 ? [...readings, text] : readings;
  };

  /** One schema for the same part of every alternative, made once: an oracle compiles each that it is asked about. */
  const parts = new WeakMap<object, Map<string, Schema>>();
  const partOf = (schema: Schema, name: string, pick: (flat: SchemaObject) => Schema | undefined): Schema => {
    if (typeof schema === 'boolean') return true;
    const known = parts.get(schema) ?? new Map<string, Schema>();
    parts.set(schema, known);
    const picked = flatten(schema).map((flat) => pick(flat) ?? true);
    const part = known.get(name) ?? (picked.length === 1 ? (picked[0] ?? true) : { anyOf: picked });
    known.set(name, part);
    return part;
  };
  const itemOf = (schema: Schema, index: number): Schema =>
    partOf(schema, `[${index}]`, ({ prefixItems, items }) => prefixItems?.[index] ?? items);
  const memberOf = (schema: Schema, name: string): Schema =>
    partOf(schema, name, (flat) => {
      const [said = true, ...more] = memberSchemasOf(flat, name);
      return more.length === 0 ? said : { allOf: [said, ...more] };
    });

  /** What a value is once it has been a text; where it can be several things, one that is (not) accepted. */
  const reread = (schema: Schema, value: Json, wanted: boolean): Json => {
    if (Array.isArray(value)) return value.map((item, index) => reread(itemOf(schema, index), item, wanted));
    if (isObject(value))
      return Object.fromEntries(
        Object.entries(value).map(([name, item]) => [name, reread(memberOf(schema, name), item, wanted)]),
      );
    const readings = scalarsOf(textOf(value), schema);
    return readings.find((reading) => accepts(schema, reading) === wanted) ?? readings[0] ?? null;
  };

  /** What is written alike: a list of one item, and that item. */
  const spellingsOf = (value: Json): Json[] => {
    const [only, ...others] = Array.isArray(value) ? value : [];
    return only === undefined || others.length > 0 ? [value] : [value, only];
  };

  return {
    typesOf,
    itemOf,
    memberOf,
    /** What a schema has to be asked about, for a value that is sent as text, to see the best in it. */
    readAsText: (schema: Schema, value: Json): Json => reread(schema, value, true),
    /** Whether a value is accepted however its texts are read. */
    isSurelyValid: (schema: Schema, value: Json): boolean => accepts(schema, reread(schema, value, false)),
    /** Whether a value is refused however its texts are read: by all alternatives together, or by one of them. */
    isSurelyWrong: (schema: Schema, value: Json): boolean =>
      [schema, ...flatten(schema)].every((way) =>
        spellingsOf(value).every((each) => !accepts(schema, reread(way, each, true))),
      ),
    /** A list of pairs has room for the members that are known beforehand, and for no other. */
    withinReach: ({ schema, style, explode, isJson }: Written, value: Json): Json => {
      if (isJson || !isObject(value) || style !== 'form' || !explode) return value;
      const known = new Set(flatten(schema).flatMap(({ properties }) => Object.keys(properties ?? {})));
      return Object.fromEntries(Object.entries(value).filter(([name]) => known.has(name)));
    },
    /** What a parameter of this schema is written as. */
    shapeOf: (schema: Schema): 'scalar' | 'array' | 'object' => {
      const types = typesOf(schema);
      if (types.has('array')) return 'array';
      return types.has('object') ? 'object' : 'scalar';
    },
  };
};

/** What texts can be taken for. */
export type Readings = ReturnType<typeof createReadings>;
