import { valueAt } from '@trellis/openapi/json';
import type { Complaint } from '../oracle/oracle.ts';
import { isObject } from '../values/json.ts';
import { isSchema, type Schema, type SchemaObject } from '../values/schema.ts';
import type { Contract, Side } from './contract.ts';
import type { Content, Field, Operation } from './operations.ts';
import type { Pointer } from './view.ts';

/** The most schemas within one that are looked at. */
const MOST_SCHEMAS = 500;

/** The schemas within a schema, itself first, and those that it refers to. */
const schemasWithin = ({ view }: Side, root: Schema): SchemaObject[] => {
  const found = new Set<SchemaObject>();
  const add = (schema: unknown): void => {
    if (isSchema(schema) && typeof schema === 'object' && found.size < MOST_SCHEMAS) found.add(schema);
  };
  add(root);
  // The loop reaches what is added to the set meanwhile.
  for (const schema of found) {
    const { $ref, allOf = [], anyOf = [], oneOf = [], prefixItems = [] } = schema;
    if ($ref !== undefined) add(view.resolve($ref));
    for (const part of [...allOf, ...anyOf, ...oneOf, ...prefixItems]) add(part);
    for (const part of [schema.items, schema.additionalProperties]) add(part);
    for (const part of Object.values(isObject(schema.properties) ? schema.properties : {})) add(part);
  }
  return [...found];
};

/** Finds the examples and defaults that do not fit their schema, at any depth, each with its place. */
export const findWrongExamples = ({ request, reply, nameOf }: Contract, operation: Operation): string[] => {
  const tell = (what: string, complaint: Complaint | undefined, at: Pointer): string[] =>
    complaint ? [`${operation.id}: ${what}: ${complaint.message}\n  ${nameOf(at)}`] : [];
  const beside = (side: Side, { schema, examples, at }: Content | Field, of: string): string[] =>
    Object.entries(examples).flatMap(([name, example]) =>
      tell(`the example ${name} of ${of} does not fit`, side.complaintsOf(schema, example)[0], at),
    );
  /** An example of a schema may show what only requests have, or only replies: it must fit one of them. */
  const within = (side: Side, other: Side, { schema }: Content | Field): string[] =>
    schemasWithin(side, schema).flatMap((part) => {
      const { example, examples = [], default: fallback } = part;
      const at = side.view.pointerOf(part);
      if (at === undefined) return [];
      const same = valueAt(other.view.document, at);
      return [example, ...(Array.isArray(examples) ? examples : []), fallback].flatMap((each) => {
        const [complaint] = each === undefined ? [] : side.complaintsOf(part, each);
        const fitsOther = complaint && isSchema(same) && other.accepts(same, each);
        return fitsOther ? [] : tell('an example or a default does not fit its schema', complaint, at);
      });
    });

  const isJson = ({ kind }: Content): boolean => kind === 'json';
  const sent = [
    ...operation.parameters.map((each) => [each, `${each.in}.${each.name}`] as const),
    ...(operation.body?.contents ?? []).filter(isJson).map((each) => [each, 'the body'] as const),
  ];
  const answered = [...operation.replies].flatMap(([status, { contents, headers }]) => [
    ...contents
      .filter((each) => isJson(each) || each.kind === 'text')
      .map((each) => [each, `response ${status}`] as const),
    ...headers.map((each) => [each, `header ${each.name} of response ${status}`] as const),
  ]);
  return [
    ...new Set([
      ...sent.flatMap(([each, of]) => beside(request, each, of)),
      ...answered.flatMap(([each, of]) => beside(reply, each, of)),
      ...sent.flatMap(([each]) => within(request, reply, each)),
      ...answered.flatMap(([each]) => within(reply, request, each)),
    ]),
  ];
};
