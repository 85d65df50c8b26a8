import { followRefs, isTree, ownMember, pointerTo, refAt, valueAt } from '@trellis/openapi/json';
import { type HandledOperation, handledOperations } from '../generate/handlers.ts';

/** How the operations of two versions of a contract differ. */
export interface Changes {
  readonly added: readonly HandledOperation[];
  readonly removed: readonly HandledOperation[];
  readonly changed: readonly HandledOperation[];
}

/** The value at a pointer and everything it refers to, as one text. */
const textAt = (document: unknown, pointer: string): string => {
  const seen = new Map<string, unknown>();
  const visit = (at: string): void => {
    if (seen.has(at)) return;
    const value = valueAt(document, at);
    seen.set(at, value);
    const visitRefs = (part: unknown): void => {
      if (!isTree(part)) return;
      const target = refAt({ part }, '/part');
      if (target !== undefined) visit(target);
      for (const member of Object.values(part)) visitRefs(member);
    };
    visitRefs(value);
  };
  visit(pointer);
  return JSON.stringify([...seen]);
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
