/** What the name of an operation is made of. */
export interface Named {
  readonly operationId?: unknown;
  readonly method: string;
  readonly path: string;
}

/**
 * The name of an operation: its operationId, or one made of method and path. `get /things/{id}` is `getThingsById`, in
 * types and at run time.
 */
export const operationIdOf = ({ operationId, method, path }: Named): string => {
  if (typeof operationId === 'string') return operationId;
  const words = path
    .replace(/\{([^}]*)\}/g, ' by $1 ')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);
  return method.toLowerCase() + words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('');
};

const titleOf = ({ method, path }: Named): string => `${method.toUpperCase()} ${path}`;

/** Throws where two operations have the same name: handlers go by it. */
export const checkOperationIds = (operations: readonly Named[]): void => {
  const named = new Map<string, Named>();
  for (const operation of operations) {
    const id = operationIdOf(operation);
    const other = named.get(id);
    if (other)
      throw new Error(
        `openapi.yaml: ${titleOf(other)} and ${titleOf(operation)} are both called ${id}; give one of them another operationId`,
      );
    named.set(id, operation);
  }
};
