import { followRefs, isTree, ownMember, pointerTo, type Tree, valueAt } from '../json/pointer.ts';
import { allOperations, operationsIn } from './path-item.ts';

/** A request that the service sends itself: a webhook, or a callback of an operation. */
export interface OutgoingOperation {
  /** The name of the webhook; of a callback `createBooking.paid`, the operation that has it first. */
  readonly name: string;
  /** In lower case. */
  readonly method: string;
  readonly operation: Tree;
  /** The pointer of the operation, where every `$ref` on the way leads. */
  readonly at: string;
  /** Whose callback it is, and the runtime expression that its URL is made of: `{$request.body#/callbackUrl}`. */
  readonly callback?: { readonly operationId: string; readonly expression: string };
}

/** All webhooks and callbacks of a document, in its order. */
export const outgoingOperations = (document: unknown): OutgoingOperation[] => {
  const operationsAt = (pointer: string) => {
    const itemAt = followRefs(document, pointer);
    return operationsIn(valueAt(document, itemAt)).map(({ method, operation }) => ({
      method,
      operation,
      at: itemAt + pointerTo(method),
    }));
  };
  const webhooks = Object.keys(ownMember(document, 'webhooks') ?? {}).flatMap((name) =>
    operationsAt(pointerTo('webhooks', name)).map((each) => ({ name, ...each })),
  );
  const callbacks = allOperations(document).flatMap(({ id: operationId, method, operation, itemAt }) => {
    return Object.keys(isTree(operation.callbacks) ? operation.callbacks : {}).flatMap((callback) => {
      const at = followRefs(document, itemAt + pointerTo(method, 'callbacks', callback));
      return Object.keys(valueAt(document, at) ?? {}).flatMap((expression) =>
        operationsAt(at + pointerTo(expression)).map((each) => ({
          name: `${operationId}.${callback}`,
          ...each,
          callback: { operationId, expression },
        })),
      );
    });
  });
  return [...webhooks, ...callbacks];
};
