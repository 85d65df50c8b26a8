import { toJson } from '@trellis/openapi/internal/json';
import type { Schemas } from '../document/contract.ts';
import type { Content, Field, Operation } from '../document/operations.ts';
import { distinctBy, identityOf, isObject, type Json } from '../values/json.ts';
import { isSchema, memberSchemasOf, type Schema } from '../values/schema.ts';
import type { BodyValue } from './bodies.ts';
import type { Case, PlainOfOperation, PlainRequests } from './plain-requests.ts';

/** The most examples of a parameter or body that are taken from its schema. */
const MOST_PARTS = 30;

const LARGEST = 60_000;

/** An example. One inside a schema is named after its place. */
interface Example {
  readonly name: string;
  readonly value: Json;
}

const isJson = (value: unknown): value is Json => value !== undefined && typeof value !== 'function';

const named = (examples: Field['examples']): Example[] =>
  Object.entries(examples).flatMap(([name, value]) => (isJson(value) ? [{ name, value }] : []));

const examplesIn = ({ flatten }: Schemas, schema: Schema, place: string): Example[] =>
  flatten(schema)
    .flatMap(({ example, examples = [], default: fallback }) =>
      [example, ...(Array.isArray(examples) ? examples : []), fallback].filter(isJson),
    )
    .map((value, index) => ({ name: `${index + 1} of ${place}`, value }));

/** Puts the examples of members into a plain value. */
const examplesOfMembers = (
  schemas: Schemas,
  schema: Schema,
  plain: BodyValue | undefined,
  place: string,
): Example[] =>
  Object.entries(isObject(plain) && !(plain instanceof Uint8Array) ? plain : {}).flatMap(([name, item]) => {
    const members = schemas.flatten(schema).flatMap((flat) => memberSchemasOf(flat, name).slice(0, 1));
    const there = `${place}.${name}`;
    return members
      .filter(isSchema)
      .flatMap((member) => [
        ...examplesIn(schemas, member, there),
        ...examplesOfMembers(schemas, member, item, there),
      ])
      .map((example) => ({ ...example, value: { ...Object(plain), [name]: example.value } }));
  });

const withoutRepeats = (examples: readonly Example[]): Example[] =>
  distinctBy(examples, ({ name, value }) => `${name} ${identityOf(value)}`);

/** Creates the cases of examples: examples with the same name together, others one at a time. */
export const createExampleCases =
  (schemas: Schemas, { canSend }: PlainRequests) =>
  (operation: Operation, plain: PlainOfOperation): Case[] => {
    const parameters = plain.parameters.map((parameter) => {
      const { examples, schema, in: place, name } = parameter;
      const all = withoutRepeats([...named(examples), ...examplesIn(schemas, schema, `${place}.${name}`)]);
      return {
        parameter,
        examples: all.filter(({ value }) => canSend.parameter(operation, parameter, value)),
      };
    });
    const ofContent = (content: Content): Example[] => {
      const { schema } = content;
      const full = plain.bodyOf(content, 0, true)?.value;
      const inSchema = [
        ...examplesIn(schemas, schema, 'body'),
        ...examplesOfMembers(schemas, schema, full, 'body'),
      ];
      return withoutRepeats([...named(content.examples), ...inSchema.slice(0, MOST_PARTS)]).filter(
        ({ value }) => toJson(value).length < LARGEST && canSend.body(content, value),
      );
    };

    /** Whether an example determines the path. */
    const keepsPath = parameters.some(
      ({ parameter, examples }) => parameter.in === 'path' && examples.length > 0,
    );
    /** A plain request with the examples of one name, and the first examples of its other parameters. */
    const caseOf = (name: string, count: number, content?: Content): Case => {
      const request = plain.make(count, false, content);
      const known = parameters.flatMap(({ parameter, examples }) => {
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
    const rest = parameters.flatMap(({ examples }) => examples.map(({ name }, index) => caseOf(name, index)));
    const others = rest.filter(({ name }) => !done.has(name));
    return [...bodies, ...distinctBy(others, ({ name }) => name)];
  };
