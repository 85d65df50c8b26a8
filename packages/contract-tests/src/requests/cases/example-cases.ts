import { toJson } from '@trellis/openapi/json';
import type { Side } from '../../document/contract.ts';
import type { Content, Field, Operation, Parameter } from '../../document/operations.ts';
import { distinctBy, identityOf, isObject, type Json } from '../../values/json.ts';
import { isSchema, memberSchemasOf, type Schema } from '../../values/schema.ts';
import type { ValidRequest } from '../valid.ts';
import type { Case, PlainRequests } from './plain-requests.ts';

/** The most examples that a parameter or a body gets from the parts of its schema. */
const MOST_PARTS = 30;

/** An example with its name; one of a schema is named after its place. */
interface Example {
  readonly name: string;
  readonly value: Json;
}

const isJson = (value: unknown): value is Json => value !== undefined && typeof value !== 'function';

/** Makes the cases of examples: all that have one name together, and the others one at a time. */
export const createExampleCases = ({ flatten }: Side, { canSendParameter, canSendBody }: PlainRequests) => {
  const ofSchema = (schema: Schema): Json[] =>
    flatten(schema).flatMap(({ example, examples = [], default: fallback }) =>
      [example, ...(Array.isArray(examples) ? examples : []), fallback].filter(isJson),
    );

  const named = (examples: Field['examples']): Example[] =>
    Object.entries(examples).flatMap(([name, value]) => (isJson(value) ? [{ name, value }] : []));

  /** The examples of members, each put into a plain value. */
  const ofMembers = (schema: Schema, plain: Json, place: string): Example[] => {
    if (!isObject(plain)) return [];
    return Object.entries(plain).flatMap(([name, item]) => {
      const members = flatten(schema)
        .flatMap((flat) => memberSchemasOf(flat, name).slice(0, 1))
        .filter(isSchema);
      const inside = members.flatMap((member) => [
        ...ofSchema(member).map((value, index) => ({ name: `${index + 1} of ${place}.${name}`, value })),
        ...ofMembers(member, item, `${place}.${name}`),
      ]);
      return inside.map((example) => ({ ...example, value: { ...plain, [name]: example.value } }));
    });
  };

  const withoutRepeats = (examples: readonly Example[]): Example[] =>
    distinctBy(examples, ({ name, value }) => `${name} ${identityOf(value)}`);

  return (operation: Operation, plain: ReturnType<PlainRequests['forOperation']>): Case[] => {
    const ofParameter = (parameter: Parameter): Example[] =>
      withoutRepeats([
        ...named(parameter.examples),
        ...ofSchema(parameter.schema).map((value, index) => ({
          name: `${index + 1} of ${parameter.in}.${parameter.name}`,
          value,
        })),
      ]).filter(({ value }) => canSendParameter(operation, parameter, value));
    const ofContent = (content: Content): Example[] => {
      const full = plain.make(0, true, content).body?.value;
      const isMade = full !== undefined && !(full instanceof Uint8Array);
      const inSchema = [
        ...ofSchema(content.schema).map((value, index) => ({ name: `${index + 1} of body`, value })),
        ...(isMade ? ofMembers(content.schema, full, 'body') : []),
      ];
      return withoutRepeats([...named(content.examples), ...inSchema.slice(0, MOST_PARTS)]).filter(
        ({ value }) => toJson(value).length < 60_000 && canSendBody(content, value),
      );
    };

    const parameters = plain.parameters.map((parameter) => [parameter, ofParameter(parameter)] as const);
    const contents = plain.contents.map((content) => [content, ofContent(content)] as const);
    /** A plain request whose required parameters have their first examples, if they have any. */
    const around = (count: number, content?: Content): ValidRequest => {
      const request = plain.make(count, false, content);
      const known = parameters.flatMap(([parameter, [example]]) =>
        example && request.parameters.has(parameter) ? [[parameter, example.value] as const] : [],
      );
      return { ...request, parameters: new Map([...request.parameters, ...known]) };
    };
    /** Whether an example says what the path leads to. */
    const keepsPath = parameters.some(
      ([parameter, examples]) => parameter.in === 'path' && examples.length > 0,
    );
    const shared = (name: string): (readonly [Parameter, Json])[] =>
      parameters.flatMap(([parameter, examples]) =>
        examples.flatMap((example) => (example.name === name ? [[parameter, example.value] as const] : [])),
      );
    const bodies = contents.flatMap(([content, examples]) =>
      examples.map(({ name, value }, index): Case => {
        const request = around(index, content);
        return {
          name: `example ${name}`,
          request: {
            ...request,
            parameters: new Map([...request.parameters, ...shared(name)]),
            body: { content, value },
          },
          keepsPath,
        };
      }),
    );
    const done = new Set(bodies.map(({ name }) => name));
    const rest = parameters.flatMap(([parameter, examples]) =>
      examples.map(({ name, value }, index): Case => {
        const request = around(index);
        const together = new Map([...request.parameters, ...shared(name), [parameter, value]]);
        return { name: `example ${name}`, request: { ...request, parameters: together }, keepsPath };
      }),
    );
    const ofNames = new Map(rest.filter(({ name }) => !done.has(name)).map((each) => [each.name, each]));
    return [...bodies, ...ofNames.values()];
  };
};
