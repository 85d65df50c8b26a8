import { isTree, ownMember, pointerTo, type Tree, valueAt } from '../../json/pointer.ts';
import type { TakeNote } from '../note.ts';
import { operationsIn, urlPath } from '../path-item.ts';
import { createNaming, repliesOf, securityOf } from './operations.ts';
import { createParameterCheck, listed } from './parameters.ts';

/** The same for paths that no request can tell apart. */
const shapeOf = (path: string): string => urlPath(path).replace(/\{[^}]*\}/g, '{}');

const treeAt = (document: unknown, pointer: string): Tree => {
  const value = valueAt(document, pointer);
  return isTree(value) && !Array.isArray(value) ? value : {};
};

/**
 * The paths of a document as they can be served: every operation has a name of its own, responses, and the parameters of
 * its path. Operations that no request can reach are left out.
 */
export const adaptPaths = (document: unknown, note: TakeNote): Tree => {
  const nameOf = createNaming(note);
  const isPublic = ownMember(document, 'security') === undefined;
  const owners = new Map<string, string>();
  const parameters = createParameterCheck(document, note);

  const isReachable = (path: string): boolean => {
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

  const claim = (path: string, method: string): boolean => {
    const key = `${method} ${shapeOf(path)}`;
    const owner = owners.get(key);
    if (owner === undefined) owners.set(key, path);
    else
      note(
        pointerTo('paths', path, method),
        'is left out: no request can tell it from an operation before it, whose path differs by the name of a parameter only; make them one',
        `${method.toUpperCase()} ${path}`,
      );
    return owner === undefined;
  };

  const adaptItem = (path: string): Tree => {
    const at = pointerTo('paths', path);
    const item = treeAt(document, at);
    const shared = parameters.ofItem(path, item);
    const operations = operationsIn(item).flatMap(({ method, operation }): [string, Tree][] => {
      if (!claim(path, method)) return [];
      const title = `${method.toUpperCase()} ${path}`;
      const security = securityOf(operation.security, at + pointerTo(method), title, note);
      if (isPublic && security === undefined)
        note(
          at + pointerTo(method),
          'declares no `security`, so everybody may call it; write `security: []` if that is meant',
          title,
        );
      const { parameters: _declared, requestBody, ...rest } = operation;
      const made = {
        ...rest,
        operationId: nameOf(path, method, operation),
        ...(security && { security }),
        ...listed(parameters.ofOperation(path, method, operation, shared)),
        ...(isTree(requestBody) && { requestBody }),
        responses: repliesOf(at + pointerTo(method), title, operation, note),
      };
      return [[method, made]];
    });
    const { parameters: _shared, ...rest } = item;
    const others = Object.entries(rest).filter(([key]) => !operationsIn({ [key]: {} }).length);
    return { ...Object.fromEntries([...others, ...operations]), ...listed(shared) };
  };

  const paths = Object.entries(treeAt(document, pointerTo('paths')));
  return Object.fromEntries(
    paths
      .filter(([path, item]) => isTree(item) && isReachable(path))
      .map(([path]): [string, Tree] => [path, adaptItem(path)]),
  );
};
