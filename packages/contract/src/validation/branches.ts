import {
  fromDocument,
  isTree,
  once,
  ownMember,
  pointerTo,
  refAt,
  valueAt,
} from '@trellis/openapi/internal/json';
import { discriminatedAt, subtypesAt } from '@trellis/openapi/internal/schema';
import type { Accepts, AcceptsAt } from './references.ts';

/** Finds, on first use, whether a schema accepts a value of the document, such as its own default. */
export const createFit = (accepts: Accepts, value: unknown): (() => boolean) =>
  once(() => {
    const sent = fromDocument(value);
    return accepts(sent.value, sent.exact);
  });

/** A schema about the same value as another. */
export interface Branch {
  readonly at: string;
  /** Whether it applies to a value; `undefined` if it always does. */
  readonly applies: Accepts | undefined;
}

/**
 * Finds the schemas that apply to the same value as the schema at a pointer (JSON Schema 2020-12, section 10.2): the
 * target of `$ref` and `allOf` always, the branches of a union that accept the value, the branch or the subtype that a
 * discriminator names, `then` or `else` depending on `if`, and dependent schemas if their member is there.
 */
export const createBranches = (document: unknown, acceptsAt: AcceptsAt) => {
  const unionAt = (pointer: string, under: (keyword: string) => [string, string][]): Branch[] => {
    const discriminated = discriminatedAt(document, pointer);
    const plain = [...under('anyOf'), ...under('oneOf')].map(([, at]) => at);
    if (!discriminated) return plain.map((at) => ({ at, applies: acceptsAt(at) }));
    const { property, branches, others, keyword } = discriminated;
    const chosen = [...branches].map(
      ([tag, at]): Branch => ({ at, applies: (value) => ownMember(value, property) === tag }),
    );
    const rest = [...others, ...plain.filter((at) => !at.startsWith(pointer + pointerTo(keyword)))];
    return [...chosen, ...rest.map((at) => ({ at, applies: acceptsAt(at) }))];
  };

  const subtypesOf = (pointer: string): Branch[] => {
    const { property, named } = subtypesAt(document, pointer) ?? { property: '', named: [] };
    return [...named].flatMap(([tag, subtypes]) =>
      subtypes.map((at) => ({ at, applies: (value: unknown) => ownMember(value, property) === tag })),
    );
  };

  const conditionsAt = (pointer: string, schema: unknown): Branch[] => {
    const [question, yes, no] = ['if', 'then', 'else'].map((keyword) => pointer + pointerTo(keyword));
    if (ownMember(schema, 'if') === undefined || !question || !yes || !no) return [];
    const holds = acceptsAt(question);
    return [
      { at: question, applies: holds },
      { at: yes, applies: holds },
      { at: no, applies: (value, exact, context) => !holds(value, exact, context) },
    ];
  };

  return (pointer: string): Branch[] => {
    const schema = valueAt(document, pointer);
    const under = (keyword: string): [name: string, pointer: string][] =>
      Object.keys(ownMember(schema, keyword) ?? {}).map((name) => [name, pointer + pointerTo(keyword, name)]);
    const target = refAt(document, pointer);
    return [
      ...(target === undefined ? [] : [{ at: target, applies: undefined }]),
      ...under('allOf').map(([, at]) => ({ at, applies: undefined })),
      ...unionAt(pointer, under),
      ...subtypesOf(pointer),
      ...conditionsAt(pointer, schema),
      ...under('dependentSchemas').map(
        ([name, at]): Branch => ({
          at,
          applies: (value) => isTree(value) && !Array.isArray(value) && Object.hasOwn(value, name),
        }),
      ),
    ];
  };
};
