import { followRefs, isTree, ownMember, pointerTo, refAt, valueAt } from '../../src/contract/json/pointer.ts';
import { type HandledOperation, handledOperations } from '../generate/handlers.ts';

/** How the operations of a contract differ from those of another. */
export interface Changes {
  readonly came: readonly HandledOperation[];
  readonly went: readonly HandledOperation[];
  readonly changed: readonly HandledOperation[];
}

/** Everything that is said at a pointer and wherever it refers to, as one text. */
const textAt = (document: unknown, pointer: string): string => {
  const said = new Map<string, unknown>();
  const visit = (at: string): void => {
    if (said.has(at)) return;
    const value = valueAt(document, at);
    said.set(at, value);
    const look = (part: unknown): void => {
      if (!isTree(part)) return;
      const target = refAt({ part }, '/part');
      if (target !== undefined) visit(target);
      for (const member of Object.values(part)) look(member);
    };
    look(value);
  };
  visit(pointer);
  return JSON.stringify([...said]);
};

/** What decides over an operation: itself, the parameters of its path, and what holds for the whole service. */
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

/** Tells which operations came, went, or are no longer what they were. */
export const compareContracts = (before: unknown, after: unknown): Changes => {
  const [old, young] = [describe(before), describe(after)];
  const operations = (all: ReturnType<typeof describe>) =>
    [...all.values()].map(({ operation }) => operation);
  return {
    came: operations(young).filter(({ id }) => !old.has(id)),
    went: operations(old).filter(({ id }) => !young.has(id)),
    changed: operations(young).filter(({ id }) => old.has(id) && old.get(id)?.text !== young.get(id)?.text),
  };
};
