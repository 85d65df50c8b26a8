import type { Operation } from '../document/operations.ts';

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .split(/\{[^{}]*\}/)
      .map(escapePattern)
      .join('[^/]+')}$`,
  );

/** Finds out which paths of a contract a path may be taken for. */
export const createKnownPaths = (operations: readonly Operation[]) => {
  const paths = new Map<string, Operation[]>();
  for (const operation of operations)
    paths.set(operation.path, [...(paths.get(operation.path) ?? []), operation]);
  const known = [...paths].map(([path, own]) => ({ path, operations: own, pattern: patternOf(path) }));
  return {
    /** The paths, each with its operations. */
    known,
    /** Whether a path is one of the contract. */
    isKnown: (path: string): boolean => known.some(({ pattern }) => pattern.test(path)),
    /** The methods of other paths of the contract that this path may be taken for. */
    methodsElsewhere: (own: string, path: string): ReadonlySet<string> =>
      new Set(
        known
          .filter((other) => other.path !== own && other.pattern.test(path))
          .flatMap((other) => other.operations.map(({ method }) => method)),
      ),
  };
};
