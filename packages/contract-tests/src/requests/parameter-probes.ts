import { pointerTo } from '@trellis/openapi/internal/json';
import type { Schemas } from '../document/contract.ts';
import type { Operation, Parameter } from '../document/operations.ts';
import { createKnownPaths } from '../document/paths.ts';
import { type Json, textOf } from '../values/json.ts';
import { type Call, pathOf } from './call.ts';
import type { Probe } from './probe.ts';
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

/** Creates the probes of parameters: each one missing, or with one violation. */
export const createParameterProbes = (schemas: Schemas, operations: readonly Operation[]) => {
  const { isMoreLiteral } = createKnownPaths(operations);
  const { flatten, violationsOf, complaintsOf, shapeOf, typesOf, itemOf, isSurelyWrong, readAsText } =
    schemas;
  /** Replaces a value by texts that only a lenient parser accepts. */
  const nearMissesOf = (parameter: Parameter, value: Json): { name: string; value: Json }[] => {
    const { schema } = parameter;
    const shape = shapeOf(schema);
    if (shape === 'object') return [];
    const types = typesOf(shape === 'array' ? itemOf(schema, 0) : schema);
    // Spaces around a field and its list items are ignored (RFC 9110, sections 5.5 and 5.6.1).
    const canTell = (text: string): boolean => parameter.in !== 'header' || text === text.trim();
    const texts = Object.entries(NEAR_MISSES)
      .flatMap(([type, nearly]) => (types.has(type) ? nearly : []))
      .filter(canTell);
    return [...new Set(texts)].map((text) => ({
      name: `as ${JSON.stringify(text)}`,
      value: withText(value, text),
    }));
  };

  const wrongValues = (path: string, parameter: Parameter, place: string, value: Json) => {
    const { schema, isJson } = parameter;
    const found = violationsOf(schema, value, place).map((violation) => ({
      ...violation,
      value: keepWritable(schemas, parameter, violation.value),
    }));
    if (isJson) return found.filter((violation) => canWrite(parameter, 'scalar', violation.value));
    const nearly = nearMissesOf(parameter, value).map(({ name, value: wrong }) => ({
      name: `${place} ${name}`,
      kind: `${place} ${name}`,
      named: place,
      value: wrong,
    }));
    return [...nearly, ...found].filter(
      (each) =>
        canWrite(parameter, shapeOf(schema), each.value) &&
        isSurelyWrong(schema, each.value) &&
        !(parameter.allowsEmpty && textOf(each.value) === '') &&
        // OpenAPI does not define this serialization, so the service may read another value.
        ![value, each.value].some((written) => isUnspecified(parameter, written)) &&
        isApart(path, parameter, textOf(each.value)) &&
        textOf(each.value).length < 1000,
    );
  };

  /** Whether the path matches another operation, which may reject the request differently. */
  const isElsewhere = ({ operation, parameters }: Call): boolean =>
    isMoreLiteral(operation.path, pathOf(operation.path, parameters));

  return (call: Call): Probe[] =>
    [...call.parameters].flatMap(([parameter, value]): Probe[] => {
      const place = `${parameter.in}.${parameter.name}`;
      const others = new Map([...call.parameters].filter(([other]) => other !== parameter));
      const missing: Probe = {
        name: `${place} missing`,
        kind: `${place} missing`,
        call: { ...call, parameters: others },
        refusal: 400,
        named: place,
        at: () => parameter.at + pointerTo('required'),
      };
      const wrong = wrongValues(call.operation.path, parameter, place, value).map(
        ({ name, kind, named, value: instead }): Probe => {
          const { schema, isJson } = parameter;
          // Read now, not in `at`, which is called after the run may have stopped.
          const read = isJson ? instead : readAsText(schema, instead);
          return {
            name,
            kind,
            call: { ...call, parameters: new Map(call.parameters).set(parameter, instead) },
            refusal: 400,
            named,
            at: () => complaintsOf(schema, read)[0]?.at ?? parameter.at,
          };
        },
      );
      // OpenAPI does not define whether a default replaces a required parameter.
      const hasDefault = flatten(parameter.schema).some((flat) => flat.default !== undefined);
      if (parameter.in === 'path') return wrong.filter((each) => !isElsewhere(each.call));
      return parameter.isRequired && !hasDefault ? [missing, ...wrong] : wrong;
    });
};
