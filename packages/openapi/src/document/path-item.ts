import { isTree, ownMember } from '../json/pointer.ts';

/** OAS 3.1, section 4.8.9.1: the methods that a path item may have. */
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** The names of the parameters in a path, from left to right. */
export const parameterNamesIn = (path: string): string[] =>
  [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name);

/** The operations of a path item, by their methods, in lower case. */
export const operationsIn = (
  item: unknown,
): { readonly method: string; readonly operation: Record<string, unknown> }[] =>
  METHODS.flatMap((method) => {
    const operation = ownMember(item, method);
    return isTree(operation) ? [{ method, operation }] : [];
  });
