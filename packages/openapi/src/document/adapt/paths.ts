import { isTree, ownMember, pointerTo, type Tree, valueAt } from '../../json/pointer.ts';
import type { TakeNote } from '../note.ts';
import { operationsIn, urlPath } from '../path-item.ts';
import { createNaming, repliesOf, securityOf } from './operations.ts';
import { createParameterCheck, type Declared, listed } from './parameters.ts';

/** The shape of a path: the same text for paths that match the same requests. */
const shapeOf = (path: string): string => urlPath(path).replace(/\{[^}]*\}/g, '{}');

const treeAt = (document: unknown, pointer: string): Tree => {
  const value = valueAt(document, pointer);
  return isTree(value) && !Array.isArray(value) ? value : {};
};

/** Whether requests can have a path. Extensions are skipped without a note. */
const isReachable = (path: string, note: TakeNote): boolean => {
  const isPath = path.startsWith('/') && !/[?#]/.test(path);
  if (!isPath && !path.startsWith('x-'))
    note(
      pointerTo('paths', path),
      'is left out: a path begins with `/`, and has no `?` and no `#`; declare query parameters under `parameters`, and write `#` as `%23`',
      path,
    );
  if (isPath && /%7B[^/]*%7D/i.test(path))
    note(pointerTo('paths', path), 'has braces as text; write a parameter as `{name}`', path);
  return isPath;
};

/** Creates a function that is true for the first operation of each method and shape of path. */
const createClaim = (note: TakeNote) => {
  const claimed = new Set<string>();
  return (path: string, method: string): boolean => {
    const key = `${method} ${shapeOf(path)}`;
    if (claimed.has(key)) {
      note(
        pointerTo('paths', path, method),
        'is left out: no request can tell it from an operation before it, whose path differs by the name of a parameter only; make them one',
        `${method.toUpperCase()} ${path}`,
      );
      return false;
    }
    claimed.add(key);
    return true;
  };
};

/**
 * Adapts the paths of a document: every operation gets a unique name, responses, and the parameters of its path.
 * Operations that no request can reach are removed.
 */
export const adaptPaths = (document: unknown, note: TakeNote): Tree => {
  const nameOf = createNaming(note);
  const claim = createClaim(note);
  const isPublic = ownMember(document, 'security') === undefined;
  const parameters = createParameterCheck(document, note);

  const adaptOperation = (
    path: string,
    method: string,
    operation: Tree,
    shared: readonly Declared[],
  ): Tree => {
    const at = pointerTo('paths', path, method);
    const title = `${method.toUpperCase()} ${path}`;
    const security = securityOf(operation.security, at, title, note);
    if (isPublic && security === undefined)
      note(
        at,
        'declares no `security`, so it needs no credentials; write `security: []` if that is meant',
        title,
      );
    const { parameters: _declared, requestBody, ...rest } = operation;
    return {
      ...rest,
      operationId: nameOf(path, method, operation),
      ...(security && { security }),
      ...listed(parameters.ofOperation(path, method, operation, shared)),
      ...(isTree(requestBody) && { requestBody }),
      responses: repliesOf(at, title, operation, note),
    };
  };

  const adaptItem = (path: string): Tree => {
    const item = treeAt(document, pointerTo('paths', path));
    const shared = parameters.ofItem(path, item);
    const operations = operationsIn(item).flatMap(({ method, operation }): [string, Tree][] =>
      claim(path, method) ? [[method, adaptOperation(path, method, operation, shared)]] : [],
    );
    const { parameters: _shared, ...rest } = item;
    const others = Object.entries(rest).filter(([key]) => !operationsIn({ [key]: {} }).length);
    return { ...Object.fromEntries([...others, ...operations]), ...listed(shared) };
  };

  const paths = Object.entries(treeAt(document, pointerTo('paths')));
  return Object.fromEntries(
    paths
      .filter(([path, item]) => isTree(item) && isReachable(path, note))
      .map(([path]): [string, Tree] => [path, adaptItem(path)]),
  );
};
