/** The parts that the name of an operation is built from. */
interface Named {
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
