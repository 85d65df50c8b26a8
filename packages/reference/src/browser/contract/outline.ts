import { operationIdOf, operationsIn } from '@trellis/openapi/internal/document';
import {
  followRefs,
  getOrInsert,
  oncePerKey,
  ownMember,
  pointerTo,
  valueAt,
} from '@trellis/openapi/internal/json';

/** An operation in the list of all. */
export interface Listed {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly title: string;
  readonly tag: string;
  /** Its tags that do not group operations, such as `beta`. */
  readonly badges: readonly string[];
  readonly isDeprecated: boolean;
  /** The pointers of the operation and of its path item. */
  readonly at: string;
  readonly itemAt: string;
}

/** Operations that share their first tag. */
export interface Group {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The titles of its groups, the outermost first. */
  readonly within: readonly string[];
  readonly operations: readonly Listed[];
}

/** A schema that has a name. */
export interface NamedSchema {
  readonly name: string;
  readonly at: string;
}

/** A member of the document as text; empty if it is not there. */
export const textAt = (value: unknown, member: string): string => {
  const text = ownMember(value, member);
  return typeof text === 'string' ? text : '';
};

/** The group of operations without a tag. */
const UNTAGGED = 'Operations';

/** The kinds of tags that do not group operations (OAS 3.2, section 4.22). */
const BADGES: readonly unknown[] = ['badge', 'audience'];

/** The declared tags by name; asked for with each path. */
const tagsOf = oncePerKey((document: unknown): ReadonlyMap<string, unknown> => {
  const declared = ownMember(document, 'tags');
  return new Map((Array.isArray(declared) ? declared : []).map((tag) => [textAt(tag, 'name'), tag]));
});

/** The operations of a path item, below a path or the name of a webhook. `name` is the title of those without one. */
const listAt = (document: unknown, at: string, path: string, name?: string): Listed[] => {
  const itemAt = followRefs(document, at);
  const declared = tagsOf(document);
  const isBadge = (tag: string): boolean => BADGES.includes(ownMember(declared.get(tag), 'kind'));
  return operationsIn(valueAt(document, itemAt)).map(({ method, operation }) => {
    const operationId = textAt(operation, 'operationId') || undefined;
    const tags = [ownMember(operation, 'tags') ?? []].flat().filter((tag) => typeof tag === 'string');
    return {
      id: operationIdOf({ operationId, method, path }),
      method: method.toUpperCase(),
      path,
      title: textAt(operation, 'summary') || (operationId ?? name ?? `${method.toUpperCase()} ${path}`),
      tag: tags.find((tag) => !isBadge(tag)) ?? tags[0] ?? UNTAGGED,
      badges: tags.filter(isBadge).map((tag) => textAt(declared.get(tag), 'summary') || tag),
      isDeprecated: ownMember(operation, 'deprecated') === true,
      at: itemAt + pointerTo(method),
      itemAt,
    };
  });
};

/**
 * The operations of a document, grouped by tag, the declared tags first and in their order, each before those inside
 * it.
 */
export const groupsOf = (document: unknown): Group[] => {
  const declared = tagsOf(document);
  const operations = new Map<string, Listed[]>([...declared.keys()].map((name) => [name, []]));
  for (const path of Object.keys(ownMember(document, 'paths') ?? {}))
    for (const operation of listAt(document, pointerTo('paths', path), path))
      getOrInsert(operations, operation.tag, () => []).push(operation);
  /** The parent of a tag (OAS 3.2, section 4.22); none if the parents are circular. */
  const parentOf = (name: string): string | undefined => {
    const seen = new Set([name]);
    const next = (tag: string): string => textAt(declared.get(tag), 'parent');
    for (let at = next(name); declared.has(at); at = next(at)) {
      if (seen.has(at)) return undefined;
      seen.add(at);
    }
    return declared.has(next(name)) ? next(name) : undefined;
  };
  const parents = new Map([...operations.keys()].map((name) => [name, parentOf(name)]));
  const groupsIn = (parent: string | undefined, within: readonly string[]): Group[] =>
    [...operations].flatMap(([name, own]) => {
      if (parents.get(name) !== parent) return [];
      const tag = declared.get(name);
      const title = textAt(tag, 'summary') || name;
      const inside = groupsIn(name, [...within, title]);
      const description = textAt(tag, 'description');
      const group = { name, title, description, within, operations: own };
      return own.length + inside.length === 0 ? [] : [group, ...inside];
    });
  return groupsIn(undefined, []);
};

/** The requests that the service may send to its clients, each by the name of its webhook and its method. */
export const webhooksOf = (document: unknown): Listed[] =>
  Object.keys(ownMember(document, 'webhooks') ?? {}).flatMap((name) =>
    listAt(document, pointerTo('webhooks', name), name, name).map((each) => ({
      ...each,
      id: `${name}/${each.method.toLowerCase()}`,
    })),
  );

/** The requests that the service may send because of one to the operation at a pointer. Their paths are expressions. */
export const callbacksAt = (document: unknown, at: string): Listed[] =>
  Object.keys(valueAt(document, at + pointerTo('callbacks')) ?? {}).flatMap((name) => {
    const callbackAt = followRefs(document, at + pointerTo('callbacks', name));
    return Object.keys(valueAt(document, callbackAt) ?? {})
      .filter((expression) => !expression.startsWith('x-'))
      .flatMap((expression) => listAt(document, callbackAt + pointerTo(expression), expression, name));
  });

/** The schemas of a document that have a name. */
export const schemasOf = (document: unknown): NamedSchema[] =>
  Object.keys(valueAt(document, '/components/schemas') ?? {}).map((name) => ({
    name,
    at: pointerTo('components', 'schemas', name),
  }));
