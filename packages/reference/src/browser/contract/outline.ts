import { operationIdOf, operationsIn } from '@trellis/openapi/document';
import { followRefs, ownMember, pointerTo, valueAt } from '@trellis/openapi/json';

/** An operation in the list of all. */
export interface Listed {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly title: string;
  readonly tag: string;
  readonly isDeprecated: boolean;
  /** Where it stands in the document, and where its path item does. */
  readonly at: string;
  readonly itemAt: string;
}

/** Operations that share their first tag. */
export interface Group {
  readonly name: string;
  readonly description: string;
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

/** Operations without a tag stand under this word. */
const UNTAGGED = 'Operations';

/** The operations of a path item, which stands under a path, or under the name of a webhook. */
const listAt = (document: unknown, at: string, path: string): Listed[] => {
  const itemAt = followRefs(document, at);
  return operationsIn(valueAt(document, itemAt)).map(({ method, operation }) => {
    const operationId = textAt(operation, 'operationId') || undefined;
    const tags = ownMember(operation, 'tags');
    return {
      id: operationIdOf({ operationId, method, path }),
      method: method.toUpperCase(),
      path,
      title: textAt(operation, 'summary') || operationId || `${method.toUpperCase()} ${path}`,
      tag: Array.isArray(tags) && typeof tags[0] === 'string' ? tags[0] : UNTAGGED,
      isDeprecated: ownMember(operation, 'deprecated') === true,
      at: itemAt + pointerTo(method),
      itemAt,
    };
  });
};

/** The operations of a document, grouped by tag, the declared tags first and in their order. */
export const groupsOf = (document: unknown): Group[] => {
  const declared = ownMember(document, 'tags');
  const descriptions = new Map<string, string>(
    (Array.isArray(declared) ? declared : []).map((tag) => [
      textAt(tag, 'name'),
      textAt(tag, 'description') || textAt(tag, 'summary'),
    ]),
  );
  const groups = new Map<string, Listed[]>([...descriptions.keys()].map((name) => [name, []]));
  for (const path of Object.keys(ownMember(document, 'paths') ?? {}))
    for (const operation of listAt(document, pointerTo('paths', path), path)) {
      const group = groups.get(operation.tag);
      if (group) group.push(operation);
      else groups.set(operation.tag, [operation]);
    }
  return [...groups]
    .filter(([, operations]) => operations.length > 0)
    .map(([name, operations]) => ({ name, description: descriptions.get(name) ?? '', operations }));
};

/** The requests that the service may send to its clients, each by the name of its webhook and its method. */
export const webhooksOf = (document: unknown): Listed[] =>
  Object.keys(ownMember(document, 'webhooks') ?? {}).flatMap((name) =>
    listAt(document, pointerTo('webhooks', name), name).map((each) => ({
      ...each,
      id: `${name}/${each.method.toLowerCase()}`,
      title: each.title === `${each.method} ${name}` ? name : each.title,
    })),
  );

/** The requests that the service may send because of one to the operation at a pointer. Their paths are expressions. */
export const callbacksAt = (document: unknown, at: string): Listed[] =>
  Object.keys(valueAt(document, at + pointerTo('callbacks')) ?? {}).flatMap((name) => {
    const callbackAt = followRefs(document, at + pointerTo('callbacks', name));
    return Object.keys(valueAt(document, callbackAt) ?? {})
      .filter((expression) => !expression.startsWith('x-'))
      .flatMap((expression) => listAt(document, callbackAt + pointerTo(expression), expression))
      .map((each) => ({ ...each, title: each.title === `${each.method} ${each.path}` ? name : each.title }));
  });

/** The schemas of a document that have a name. */
export const schemasOf = (document: unknown): NamedSchema[] =>
  Object.keys(valueAt(document, '/components/schemas') ?? {}).map((name) => ({
    name,
    at: pointerTo('components', 'schemas', name),
  }));
