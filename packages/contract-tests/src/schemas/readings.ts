import { textOf } from '@trellis/openapi/internal/http';
import { getOrInsert, oncePerObject } from '@trellis/openapi/internal/json';
import { isObject, type Json, typeOf } from '../values/json.ts';
import { memberSchemasOf, type Schema, type SchemaObject } from '../values/schema.ts';
import type { Judge } from './flatten.ts';

const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The values that a text can represent under a schema of these types. */
const scalarsOf = (text: string, types: ReadonlySet<string>): Json[] => {
  const isNumeric = types.has('integer') || types.has('number');
  const readings: Json[] = [
    ...(isNumeric && INTEGER.test(text) ? [BigInt(text)] : []),
    ...(types.has('number') && NUMBER.test(text) && !INTEGER.test(text) ? [Number(text)] : []),
    ...(types.has('boolean') && (text === 'true' || text === 'false') ? [text === 'true'] : []),
    ...(types.has('null') && text === 'null' ? [null] : []),
  ];
  return types.has('string') || readings.length === 0 ? [...readings, text] : readings;
};

/** Values with the same text: a list of one item, and that item. */
const spellingsOf = (value: Json): Json[] => {
  const [only, ...others] = Array.isArray(value) ? value : [];
  return only === undefined || others.length > 0 ? [value] : [value, only];
};

/** Finds the values that a text can represent under a schema, since parameters and forms are sent as text. */
export const createReadings = ({ flatten, accepts }: Judge) => {
  const typesOf = (schema: Schema): ReadonlySet<string> =>
    new Set(
      flatten(schema).flatMap(({ type = [], enum: allowed = [] }) => [type, allowed.map(typeOf)].flat(2)),
    );

  /** Combines the same part of all alternatives; cached, because the oracle compiles each schema object. */
  const partsOf = oncePerObject((_schema: SchemaObject) => new Map<string, Schema>());
  const partOf = (schema: Schema, name: string, pick: (flat: SchemaObject) => Schema | undefined): Schema => {
    if (typeof schema === 'boolean') return true;
    return getOrInsert(partsOf(schema), name, () => {
      const picked = flatten(schema).map((flat) => pick(flat) ?? true);
      return picked.length === 1 ? (picked[0] ?? true) : { anyOf: picked };
    });
  };
  const itemOf = (schema: Schema, index: number): Schema =>
    partOf(schema, `[${index}]`, ({ prefixItems, items }) => prefixItems?.[index] ?? items);
  const memberOf = (schema: Schema, name: string): Schema =>
    partOf(schema, name, (flat) => {
      const [said = true, ...more] = memberSchemasOf(flat, name);
      return more.length === 0 ? said : { allOf: [said, ...more] };
    });

  /** Reads a value back from text. If that is ambiguous, prefers a reading that is accepted, or rejected, as wanted. */
  const reread = (schema: Schema, value: Json, wanted: boolean): Json => {
    if (Array.isArray(value)) return value.map((item, index) => reread(itemOf(schema, index), item, wanted));
    if (isObject(value))
      return Object.fromEntries(
        Object.entries(value).map(([name, item]) => [name, reread(memberOf(schema, name), item, wanted)]),
      );
    const readings = scalarsOf(textOf(value), typesOf(schema));
    return readings.find((reading) => accepts(schema, reading) === wanted) ?? readings[0] ?? null;
  };

  return {
    ...{ typesOf, itemOf, memberOf },
    /** The members that a schema names. */
    namesOf: (schema: Schema): ReadonlySet<string> =>
      new Set(flatten(schema).flatMap(({ properties }) => Object.keys(properties ?? {}))),
    /** A value as a service may read it from text: valid if any reading is. */
    readAsText: (schema: Schema, value: Json): Json => reread(schema, value, true),
    /** Whether every reading of the text is valid. */
    isSurelyValid: (schema: Schema, value: Json): boolean => accepts(schema, reread(schema, value, false)),
    /** Whether every reading of the text is invalid, under the schema and under each alternative. */
    isSurelyWrong: (schema: Schema, value: Json): boolean =>
      [schema, ...flatten(schema)].every((way) =>
        spellingsOf(value).every((each) => !accepts(schema, reread(way, each, true))),
      ),
    /** How a parameter of this schema is serialized. */
    shapeOf: (schema: Schema): 'scalar' | 'array' | 'object' => {
      const types = typesOf(schema);
      if (types.has('array')) return 'array';
      return types.has('object') ? 'object' : 'scalar';
    },
  };
};
