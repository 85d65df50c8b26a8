import { toJson } from '@trellis/openapi/json';
import type { Side } from '../../document/contract.ts';
import type { Content, Field, Operation, Parameter } from '../../document/operations.ts';
import { distinctBy, identityOf, isObject, type Json } from '../../values/json.ts';
import { isSchema, memberSchemasOf, type Schema } from '../../values/schema.ts';
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
  const ofSchema = (schema: Schema, place: string): Example[] =>
    flatten(schema)
      .flatMap(({ example, examples = [], default: fallback }) =>
        [example, ...(Array.isArray(examples) ? examples : []), fallback].filter(isJson),
      )
      .map((value, index) => ({ name: `${index + 1} of ${place}`, value }));

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
        ...ofSchema(member, `${place}.${name}`),
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
        ...ofSchema(parameter.schema, `${parameter.in}.${parameter.name}`),
      ]).filter(({ value }) => canSendParameter(operation, parameter, value));
    const ofContent = (content: Content): Example[] => {
      const full = plain.make(0, true, content).body?.value;
      const isMade = full !== undefined && !(full instanceof Uint8Array);
      const inSchema = [
        ...ofSchema(content.schema, 'body'),
        ...(isMade ? ofMembers(content.schema, full, 'body') : []),
      ];
      return withoutRepeats([...named(content.examples), ...inSchema.slice(0, MOST_PARTS)]).filter(
        ({ value }) => toJson(value).length < 60_000 && canSendBody(content, value),
      );
    };

    const parameters = plain.parameters.map((parameter) => [parameter, ofParameter(parameter)] as const);
    /** Whether an example says what the path leads to. */
    const keepsPath = parameters.some(([{ in: place }, examples]) => place === 'path' && examples.length > 0);
    /** A plain request with the examples of a name, and the first ones of other parameters that are required. */
    const caseOf = (name: string, count: number, content?: Content): Case => {
      const request = plain.make(count, false, content);
      const known = parameters.flatMap(([parameter, examples]) => {
        const [first] = request.parameters.has(parameter) ? examples : [];
        const example = examples.findLast((each) => each.name === name) ?? first;
        return example ? [[parameter, example.value] as const] : [];
      });
      const together = { ...request, parameters: new Map([...request.parameters, ...known]) };
      return { name: `example ${name}`, request: together, keepsPath };
    };
    const bodies = plain.contents.flatMap((content) =>
      ofContent(content).map(({ name, value }, index): Case => {
        const made = caseOf(name, index, content);
        return { ...made, request: { ...made.request, body: { content, value } } };
      }),
    );
    const done = new Set(bodies.map(({ name }) => name));
    const rest = parameters.flatMap(([, examples]) => examples.map(({ name }, index) => caseOf(name, index)));
    return [
      ...bodies,
      ...distinctBy(
        rest.filter(({ name }) => !done.has(name)),
        ({ name }) => name,
      ),
    ];
  };
};
