import { parameterNamesIn } from '@trellis/openapi/document';
import { getOrInsert } from '@trellis/openapi/json';
import type { Operation, Parameter } from './operations.ts';

/** The path parameters of an operation in the order of its path. */
export const pathParametersOf = ({ path, parameters }: Operation): Parameter[] =>
  parameterNamesIn(path).flatMap(
    (name) => parameters.find((each) => each.in === 'path' && each.name === name) ?? [],
  );

/** A path without the names of its parameters, and without a slash at its end: `/things/{}`. */
export const shapeOfPath = (path: string): string => path.replace(/\{[^}]*\}/g, '{}').replace(/\/$/, '');

/** A text as a regular expression that matches nothing else. */
export const literally = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Matches a template with any text in place of its parameters. */
const patternOf = (template: string, parameter: string): RegExp => {
  const literals = template.split(/\{[^}]*\}/).map(literally);
  return new RegExp(`^${literals.join(parameter)}$`, 's');
};

/** Finds out which paths of a contract a path may be taken for. */
export const createKnownPaths = (operations: readonly Operation[]) => {
  const paths = new Map<string, Operation[]>();
  for (const operation of operations) getOrInsert(paths, operation.path, () => []).push(operation);
  const known = [...paths].map(([path, own]) => ({
    path,
    operations: own,
    pattern: patternOf(path, '[^/]+'),
  }));
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

/** How many characters of a segment are no parameter. */
const literalsIn = (segment: string): number => segment.replace(/\{[^}]*\}/g, '').length;

/** Makes a function that says whether a filled-in path matches a more literal one of the contract (OAS 3.1, section 4.8.8.2). */
export const createIsOtherPath = (operations: readonly Operation[]) => {
  const paths = [...new Set(operations.map(({ path }) => path))].map((path) => ({
    path,
    segments: path
      .split('/')
      .map((segment) => ({ pattern: patternOf(segment, '.+'), literals: literalsIn(segment) })),
  }));
  return (own: string, made: string): boolean => {
    const templates = own.split('/');
    const segments = made.split('/').map((segment) => decodeURIComponent(segment));
    return paths.some(
      (other) =>
        other.path !== own &&
        other.segments.length === segments.length &&
        other.segments.every(({ pattern }, index) => pattern.test(segments[index] ?? '')) &&
        other.segments.some(({ literals }, index) => literals > literalsIn(templates[index] ?? '')),
    );
  };
};
