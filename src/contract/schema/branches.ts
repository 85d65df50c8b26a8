import type { Inquiry } from '../json/inquiry.ts';
import { once } from '../json/once.ts';
import { isTree, ownMember, pointerTo, refAt, valueAt } from '../json/pointer.ts';
import { discriminatedAt } from './discriminator.ts';

/** Compiles the question whether the schema at a pointer accepts a value, given with its exact tree. */
export type CompileAccepts = (pointer: string) => Applies;

/** Whether a schema has a say in a value, which may be a part of what an inquiry is about. */
export type Applies = (value: unknown, exact: unknown, inquiry?: Inquiry) => boolean;

/** A schema about the same value as another. */
export interface Branch {
  readonly at: string;
  /** When it has a say; `undefined` for always. */
  readonly applies: Applies | undefined;
}

/** A schema is compiled for the first value that needs it. */
export const lazily =
  (compileAccepts: CompileAccepts): CompileAccepts =>
  (pointer) => {
    const compiled = once(() => compileAccepts(pointer));
    return (value, exact, inquiry) => compiled()(value, exact, inquiry);
  };

/**
 * Finds the schemas that the schema at a pointer hands a value on to (JSON Schema 2020-12, section 10.2): what it
 * refers to and `allOf` always, the branches of a union that accept it or that a discriminator names, `then` or `else`
 * as `if` has it, and dependent schemas where their member is there.
 */
export const createBranches = (document: unknown, compileAccepts: CompileAccepts) => {
  const accepts = lazily(compileAccepts);

  const unionAt = (pointer: string, under: (keyword: string) => [string, string][]): Branch[] => {
    const discriminated = discriminatedAt(document, pointer);
    const plain = [...under('anyOf'), ...under('oneOf')].map(([, at]) => at);
    if (!discriminated) return plain.map((at) => ({ at, applies: accepts(at) }));
    const { property, branches, others, keyword } = discriminated;
    const chosen = [...branches].map(
      ([tag, at]): Branch => ({ at, applies: (value) => ownMember(value, property) === tag }),
    );
    const rest = [...others, ...plain.filter((at) => !at.startsWith(pointer + pointerTo(keyword)))];
    return [...chosen, ...rest.map((at) => ({ at, applies: accepts(at) }))];
  };

  const conditionsAt = (pointer: string, schema: unknown): Branch[] => {
    const [question, yes, no] = ['if', 'then', 'else'].map((keyword) => pointer + pointerTo(keyword));
    if (ownMember(schema, 'if') === undefined || !question || !yes || !no) return [];
    const holds = accepts(question);
    return [
      { at: question, applies: holds },
      { at: yes, applies: holds },
      { at: no, applies: (value, exact, inquiry) => !holds(value, exact, inquiry) },
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
