import { pointerTo } from '@trellis/openapi/json';
import type { Side } from '../document/contract.ts';
import type { Operation, Parameter } from '../document/operations.ts';
import { createKnownPaths } from '../document/paths.ts';
import { type Json, textOf } from '../values/json.ts';
import { type Draft, pathOf } from './draft.ts';
import type { Probe } from './probe.ts';
import { canWrite, isUnspecified, keepWritable } from './styles.ts';

/** Texts that a lenient parser takes for a value of a type, and a strict one does not. */
const NEAR_MISSES: Readonly<Record<string, readonly string[]>> = {
  integer: ['abc', '0x10', ' 5', '1e3', '1.5', '', '1abc', '5 ', '+1', '1_000', '\u0661', '--1', '0b1'],
  number: ['abc', '0x10', 'NaN', '', '1abc', '+1', '1_000', 'Infinity', '\u0661', '1.', '.5', '1e'],
  boolean: ['yes', 'TRUE', '', '1', '0', 'on', 'true ', 'truefalse'],
};

/** A value with a text in place of itself, or of the first item of a list. */
const withText = (value: Json, text: string): Json => (Array.isArray(value) ? value.with(0, text) : text);

/** Whether a text in place of a path parameter stays apart from other parameters in its segment: `{id}.{format}`. */
const isApart = (path: string, { in: place, name }: Parameter, text: string): boolean => {
  const segment = path.split('/').find((each) => place === 'path' && each.includes(`{${name}}`)) ?? '';
  const between = segment.split(/\{[^}]*\}/).slice(1, -1);
  return !between.some((literal) => text.includes(literal));
};

/** Makes the probes of parameters: each one missing, or with one violation. */
export const createParameterProbes = (side: Side, operations: readonly Operation[]) => {
  const { isMoreLiteral } = createKnownPaths(operations);
  const { flatten, violationsOf, complaintsOf, shapeOf, typesOf, itemOf, isSurelyWrong, readAsText } = side;
  /** Texts in place of a value that only a lenient parser accepts. */
  const nearMissesOf = (parameter: Parameter, value: Json): { name: string; value: Json }[] => {
    const { schema } = parameter;
    const shape = shapeOf(schema);
    if (shape === 'object') return [];
    const types = typesOf(shape === 'array' ? itemOf(schema, 0) : schema);
    // Blanks around a field and around the items of a list in it do not count (RFC 9110, sections 5.5 and 5.6.1).
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
      value: keepWritable(side, parameter, violation.value),
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
        // OpenAPI does not say how these are written, so nobody knows what is wrong.
        ![value, each.value].some((written) => isUnspecified(parameter, written)) &&
        isApart(path, parameter, textOf(each.value)) &&
        textOf(each.value).length < 1000,
    );
  };

  /** Whether the path of a request is that of another operation, which may refuse it in its own way. */
  const isElsewhere = ({ operation, parameters }: Draft): boolean =>
    isMoreLiteral(operation.path, pathOf(operation.path, parameters));

  return (draft: Draft): Probe[] =>
    [...draft.parameters].flatMap(([parameter, value]): Probe[] => {
      const place = `${parameter.in}.${parameter.name}`;
      const others = new Map([...draft.parameters].filter(([other]) => other !== parameter));
      const gone: Probe = {
        name: `${place} gone`,
        kind: `${place} gone`,
        draft: { ...draft, parameters: others },
        refusal: 400,
        named: place,
        at: () => parameter.at + pointerTo('required'),
      };
      const wrong = wrongValues(draft.operation.path, parameter, place, value).map(
        ({ name, kind, named, value: instead }): Probe => {
          const { schema, isJson } = parameter;
          // Read now, not in `at`: by then the run may have been stopped, and nothing can be read.
          const read = isJson ? instead : readAsText(schema, instead);
          return {
            name,
            kind,
            draft: { ...draft, parameters: new Map(draft.parameters).set(parameter, instead) },
            refusal: 400,
            named,
            at: () => complaintsOf(schema, read)[0]?.at ?? parameter.at,
          };
        },
      );
      // The standard does not say whether a default makes up for a required parameter, so a service may do either.
      const hasDefault = flatten(parameter.schema).some((flat) => flat.default !== undefined);
      if (parameter.in === 'path') return wrong.filter((each) => !isElsewhere(each.draft));
      return parameter.isRequired && !hasDefault ? [gone, ...wrong] : wrong;
    });
};
