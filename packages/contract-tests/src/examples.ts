import { valueAt } from '@trellis/openapi/json';
import type { Contract, Side } from './document/contract.ts';
import type { Content, Field, Operation } from './document/operations.ts';
import { isObject } from './values/json.ts';
import { isSchema, type Schema, type SchemaObject } from './values/schema.ts';

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
  const complain = (side: Side, schema: Schema, example: unknown): string | undefined =>
    side.complaintsOf(schema, example)[0]?.message;
  const examine = (side: Side, { schema, examples, at }: Content | Field, of: string): string[] =>
    Object.entries(examples).flatMap(([name, example]) => {
      const message = complain(side, schema, example);
      return message === undefined
        ? []
        : [`${operation.id}: the example ${name} of ${of} does not fit: ${message}\n  ${nameOf(at)}`];
    });

  /** An example of a schema may show what only requests have, or only replies: it must fit one of them. */
  const examineSchema = (side: Side, other: Side, { schema }: Content | Field): string[] =>
    schemasWithin(side, schema).flatMap((part) => {
      const { example, examples = [], default: fallback } = part;
      const shown = [example, ...(Array.isArray(examples) ? examples : []), fallback];
      const at = side.view.pointerOf(part);
      if (at === undefined || shown.every((each) => each === undefined)) return [];
      const same = valueAt(other.view.document, at);
      return shown.flatMap((each) => {
        const message = each === undefined ? undefined : complain(side, part, each);
        const fitsOther = message !== undefined && isSchema(same) && other.accepts(same, each);
        return message === undefined || fitsOther
          ? []
          : [`${operation.id}: an example or a default does not fit its schema: ${message}\n  ${nameOf(at)}`];
      });
    });

  const ofBody = (operation.body?.contents ?? []).filter(({ kind }) => kind === 'json');
  const ofReplies = [...operation.replies].flatMap(([status, { contents, headers }]) => ({
    status,
    contents: contents.filter(({ kind }) => kind === 'json' || kind === 'text'),
    headers,
  }));
  return [
    ...new Set([
      ...operation.parameters.flatMap((each) => examine(request, each, `${each.in}.${each.name}`)),
      ...ofBody.flatMap((each) => examine(request, each, 'the body')),
      ...ofReplies.flatMap(({ status, contents, headers }) => [
        ...contents.flatMap((each) => examine(reply, each, `response ${status}`)),
        ...headers.flatMap((each) => examine(reply, each, `header ${each.name} of response ${status}`)),
      ]),
      ...[...operation.parameters, ...ofBody].flatMap((each) => examineSchema(request, reply, each)),
      ...ofReplies.flatMap(({ contents, headers }) =>
        [...contents, ...headers].flatMap((each) => examineSchema(reply, request, each)),
      ),
    ]),
  ];
};
