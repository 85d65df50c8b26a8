import { followRefs, isTree, ownMember, pointerTo, targetOf, valueAt } from '@trellis/openapi/json';
import { type HandledOperation, handledOperations } from '../generate/handlers.ts';

/** How the operations of two versions of a contract differ. */
export interface Changes {
  readonly added: readonly HandledOperation[];
  readonly removed: readonly HandledOperation[];
  readonly changed: readonly HandledOperation[];
}

/** The value at a pointer and everything it refers to, as one text. */
const textAt = (document: unknown, pointer: string): string => {
  const reached = new Set([pointer]);
  const reach = (part: unknown): void => {
    const target = targetOf(ownMember(part, '$ref'));
    if (target !== undefined) reached.add(target);
    if (isTree(part)) Object.values(part).forEach(reach);
  };
  for (const at of reached) reach(valueAt(document, at)); // a set also visits what is added meanwhile
  return JSON.stringify([...reached].map((at) => [at, valueAt(document, at)]));
};

/** Each operation with a text of all that defines it: itself, the parameters of its path, the document's security. */
const describe = (document: unknown) =>
  new Map(
    handledOperations(document).map((operation) => {
      const { id, method, path } = operation;
      const itemAt = followRefs(document, pointerTo('paths', path));
      const text = [
        textAt(document, itemAt + pointerTo(method.toLowerCase())),
        textAt(document, itemAt + pointerTo('parameters')),
        JSON.stringify(ownMember(document, 'security')),
        `${method} ${path}`,
      ].join('\n');
      return [id, { operation, text }] as const;
    }),
  );

/** Lists the operations that were added, removed or changed. */
export const compareContracts = (before: unknown, after: unknown): Changes => {
  const [old, current] = [describe(before), describe(after)];
  const operations = (all: ReturnType<typeof describe>) =>
    [...all.values()].map(({ operation }) => operation);
  return {
    added: operations(current).filter(({ id }) => !old.has(id)),
    removed: operations(old).filter(({ id }) => !current.has(id)),
    changed: operations(current).filter(
      ({ id }) => old.has(id) && old.get(id)?.text !== current.get(id)?.text,
    ),
  };
};
