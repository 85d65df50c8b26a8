import { toJson } from '@trellis/openapi/internal/json';
import type { Schemas } from '../../document/contract.ts';
import type { Content, Field, Operation, Parameter } from '../../document/operations.ts';
import { distinctBy, identityOf, isObject, type Json } from '../../values/json.ts';
import { isSchema, memberSchemasOf, type Schema } from '../../values/schema.ts';
import type { Case, PlainRequests } from './plain-requests.ts';

/** The most examples of a parameter or body that are taken from its schema. */
const MOST_PARTS = 30;

/** An example. One inside a schema is named after its place. */
interface Example {
  readonly name: string;
  readonly value: Json;
}

const isJson = (value: unknown): value is Json => value !== undefined && typeof value !== 'function';

/** Creates the cases of examples: examples with the same name together, others one at a time. */
export const createExampleCases = (
  { flatten }: Schemas,
  { canSendParameter, canSendBody }: PlainRequests,
) => {
  const ofSchema = (schema: Schema, place: string): Example[] =>
    flatten(schema)
      .flatMap(({ example, examples = [], default: fallback }) =>
        [example, ...(Array.isArray(examples) ? examples : []), fallback].filter(isJson),
      )
      .map((value, index) => ({ name: `${index + 1} of ${place}`, value }));

  const named = (examples: Field['examples']): Example[] =>
    Object.entries(examples).flatMap(([name, value]) => (isJson(value) ? [{ name, value }] : []));

  /** Puts the examples of members into a plain value. */
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
    /** Whether an example determines the path. */
    const keepsPath = parameters.some(([{ in: place }, examples]) => place === 'path' && examples.length > 0);
    /** A plain request with the examples of one name, and the first examples of its other parameters. */
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
