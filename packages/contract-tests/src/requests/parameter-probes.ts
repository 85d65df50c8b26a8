import { textOf } from '@trellis/openapi/internal/http';
import { pointerTo } from '@trellis/openapi/internal/json';
import type { Schemas } from '../document/contract.ts';
import type { Operation, Parameter } from '../document/operations.ts';
import { createKnownPaths } from '../document/paths.ts';
import { type Violation, violation } from '../generation/wrong-values.ts';
import type { Json } from '../values/json.ts';
import { type Call, type Probe, pathOf } from './call.ts';
import { canWrite, isUnspecified, keepWritable } from './styles.ts';

/** Texts that a lenient parser accepts as a type, and a strict one does not. */
const NEAR_MISSES: Readonly<Record<string, readonly string[]>> = {
  integer: ['abc', '0x10', ' 5', '1e3', '1.5', '', '1abc', '5 ', '+1', '1_000', '\u0661', '--1', '0b1'],
  number: ['abc', '0x10', 'NaN', '', '1abc', '+1', '1_000', 'Infinity', '\u0661', '1.', '.5', '1e'],
  boolean: ['yes', 'TRUE', '', '1', '0', 'on', 'true ', 'truefalse'],
};

/** Replaces a value, or the first item of a list, by a text. */
const withText = (value: Json, text: string): Json => (Array.isArray(value) ? value.with(0, text) : text);

/** Whether a text cannot be confused with the next parameter of its segment: `{id}.{format}`. */
const isApart = (path: string, { in: place, name }: Parameter, text: string): boolean => {
  const segment = path.split('/').find((each) => place === 'path' && each.includes(`{${name}}`)) ?? '';
  const between = segment.split(/\{[^}]*\}/).slice(1, -1);
  return !between.some((literal) => text.includes(literal));
};

/** Replaces a value by texts that only a lenient parser accepts. */
const nearMissesOf = (
  { shapeOf, typesOf, itemOf }: Schemas,
  { schema, in: where }: Parameter,
  place: string,
  value: Json,
): Violation[] => {
  const shape = shapeOf(schema);
  if (shape === 'object') return [];
  const types = typesOf(shape === 'array' ? itemOf(schema, 0) : schema);
  const texts = Object.entries(NEAR_MISSES).flatMap(([type, nearly]) => (types.has(type) ? nearly : []));
  return (
    [...new Set(texts)]
      // Spaces around a field and its list items are ignored (RFC 9110, sections 5.5 and 5.6.1).
      .filter((text) => where !== 'header' || text === text.trim())
      .map((text) => violation(place, `as ${JSON.stringify(text)}`, withText(value, text)))
  );
};

const wrongValues = (
  schemas: Schemas,
  { path }: Operation,
  parameter: Parameter,
  place: string,
  value: Json,
): Violation[] => {
  const { schema, isJson, allowsEmpty } = parameter;
  const found = schemas.violationsOf(schema, value, place).map((each) => ({
    ...each,
    value: keepWritable(schemas, parameter, each.value),
  }));
  if (isJson) return found.filter((each) => canWrite(parameter, 'scalar', each.value));
  return [...nearMissesOf(schemas, parameter, place, value), ...found].filter(({ value: wrong }) => {
    const text = textOf(wrong);
    // OpenAPI does not define the serialization of some values, so the service may read another value.
    const isDefined = ![value, wrong].some((written) => isUnspecified(parameter, written));
    return (
      canWrite(parameter, schemas.shapeOf(schema), wrong) &&
      schemas.isSurelyWrong(schema, wrong) &&
      !(allowsEmpty && text === '') &&
      isDefined &&
      isApart(path, parameter, text) &&
      text.length < 1000
    );
  });
};

/** Creates the probes of parameters: each one missing, or with one violation. */
export const createParameterProbes = (schemas: Schemas, operations: readonly Operation[]) => {
  const { flatten, complaintsOf, readAsText } = schemas;
  const { isMoreLiteral } = createKnownPaths(operations);
  /** Whether the path matches another operation, which may reject the request differently. */
  const isElsewhere = ({ operation, parameters }: Call): boolean =>
    isMoreLiteral(operation.path, pathOf(operation.path, parameters));

  const probesOf = (call: Call, parameter: Parameter, value: Json): Probe[] => {
    const { in: where, name, schema, isJson, isRequired, at } = parameter;
    const place = `${where}.${name}`;
    const wrong = wrongValues(schemas, call.operation, parameter, place, value).map(
      ({ value: instead, ...names }): Probe => {
        // Read now, not in `at`, which is called after the run may have stopped.
        const read = isJson ? instead : readAsText(schema, instead);
        const parameters = new Map(call.parameters).set(parameter, instead);
        const placeOf = () => complaintsOf(schema, read)[0]?.at ?? at;
        return { ...names, call: { ...call, parameters }, refusal: 400, at: placeOf };
      },
    );
    if (where === 'path') return wrong.filter((each) => !isElsewhere(each.call));
    // OpenAPI does not define whether a default replaces a required parameter.
    if (!isRequired || flatten(schema).some((flat) => flat.default !== undefined)) return wrong;
    const others = new Map([...call.parameters].filter(([other]) => other !== parameter));
    const missing: Probe = {
      name: `${place} missing`,
      kind: `${place} missing`,
      call: { ...call, parameters: others },
      refusal: 400,
      named: place,
      at: () => at + pointerTo('required'),
    };
    return [missing, ...wrong];
  };
  return (call: Call): Probe[] =>
    [...call.parameters].flatMap(([parameter, value]) => probesOf(call, parameter, value));
};
