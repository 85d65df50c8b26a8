import { isTree, ownMember, type Tree } from '../../json/pointer.ts';
import { compilePattern } from '../../schema/pattern.ts';
import type { TakeNote } from '../note.ts';
import { keep, type Mend, mendEach, mendMembers } from './mend.ts';

type Test = (value: unknown) => boolean;

const TYPES: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

const isSchema: Test = (value) => typeof value === 'boolean' || (isTree(value) && !Array.isArray(value));
const isMapOf =
  (isRight: Test): Test =>
  (value) =>
    isTree(value) && !Array.isArray(value) && Object.values(value).every(isRight);
const isList: Test = (value) => Array.isArray(value) && value.length > 0 && value.every(isSchema);
const isNames: Test = (value) => Array.isArray(value) && value.every((name) => typeof name === 'string');
const isNumber: Test = (value) => typeof value === 'number' || typeof value === 'bigint';
const isCount: Test = (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0;
const isText: Test = (value) => typeof value === 'string';
const isPattern: Test = (value) => typeof value === 'string' && compilePattern(value) !== undefined;

const all = (isRight: Test, ...keywords: readonly string[]) => mendEach(keep(isRight), ...keywords);

/**
 * Keywords that are dropped. References to the rest of the contract would not resolve below an `$id`; the bundle has
 * replaced `$dynamicRef`; the others are not in JSON Schema 2020-12, or do not constrain values.
 */
const DROPPED = [
  ...['$id', 'id', '$schema', '$vocabulary', '$anchor', '$dynamicAnchor'],
  ...['$dynamicRef', '$async', '$recursiveRef', '$recursiveAnchor', 'nullable'],
];

/** Checks the value of each keyword, so that the schema compiles. */
const KEYWORDS: ReadonlyMap<string, Mend> = new Map([
  ...all(() => false, ...DROPPED),
  ...all(isText, '$ref', 'format', 'title', 'description'),
  ...all(isSchema, 'items', 'contains', 'not', 'if', 'then', 'else', 'unevaluatedItems'),
  ...all(isSchema, 'additionalProperties', 'unevaluatedProperties', 'propertyNames'),
  ...all(isList, 'allOf', 'anyOf', 'oneOf', 'prefixItems'),
  ...all(isMapOf(isSchema), 'properties', 'dependentSchemas', '$defs', 'definitions'),
  ...all(isNumber, 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'),
  ...all(isCount, 'minProperties', 'maxProperties', 'minContains', 'maxContains'),
  ...all(isCount, 'minItems', 'maxItems', 'minLength', 'maxLength'),
  ...all(isNames, 'required'),
  ...all(isMapOf(isNames), 'dependentRequired'),
  ...all(isPattern, 'pattern'),
  ...all((value) => typeof value === 'boolean', 'uniqueItems'),
  ...all((value) => Array.isArray(value) && value.length > 0, 'enum'),
  ...all((value) => isNumber(value) && Number(value) > 0, 'multipleOf'),
  ...all((value) => isTree(value) && typeof value.propertyName === 'string', 'discriminator'),
  ...all(
    isMapOf((each) => isNames(each) || isSchema(each)),
    'dependencies',
  ),
  ...all(
    (value) => [value].flat().every((type) => TYPES.includes(type)) && [value].flat().length > 0,
    'type',
  ),
  ...all(
    (value) => isTree(value) && isMapOf(isSchema)(value) && Object.keys(value).every(isPattern),
    'patternProperties',
  ),
]);

/** Reasons why a value is ignored, for keywords whose values are not just of the wrong type. */
const REASONS: Readonly<Record<string, string>> = {
  pattern: 'it is not a regular expression of JavaScript; any text fits, so write it as ECMA-262 has it',
  type: `it is not a JSON type, so any value fits; use ${TYPES.join(', ')}`,
};

/** Creates a function that drops keywords with invalid values, so that the schema compiles. */
export const createKeywordCheck =
  (note: TakeNote) =>
  (schema: Tree, pointer: string): Tree => {
    if (ownMember(schema.properties, '__proto__') !== undefined)
      note(`${pointer}/properties/__proto__`, 'a property `__proto__` is not checked; give it another name');
    return mendMembers(schema, KEYWORDS, (keyword) => {
      if (keyword === '$id') note(`${pointer}/$id`, '`$id` is ignored; refer to the schema by its place');
      if (keyword === '$recursiveRef')
        note(`${pointer}/$recursiveRef`, '`$recursiveRef` is ignored; write `$ref`, or `$dynamicRef`');
      if (DROPPED.includes(keyword)) return;
      const reason = REASONS[keyword] ?? 'JSON Schema has no such value for it; correct it, or leave it out';
      note(`${pointer}/${keyword}`, `\`${keyword}\` is ignored: ${reason}`);
    });
  };
