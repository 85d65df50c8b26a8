/** An operation as far as its name goes. */
export interface Named {
  readonly operationId?: string | undefined;
  readonly method: string;
  readonly path: string;
}

/**
 * The name of an operation: its own, or one made of method and path. `get /things/{id}` is `getThingsById`, the
 * same in types and at run time.
 */
export const operationIdOf = ({ operationId, method, path }: Named): string => {
  if (operationId !== undefined) return operationId;
  const words = path
    .replace(/\{([^}]*)\}/g, ' by $1 ')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);
  return method.toLowerCase() + words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('');
};
