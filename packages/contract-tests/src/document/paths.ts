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

/** The texts of a segment between its parameters. */
const literalsIn = (segment: string): string[] => segment.split(/\{[^}]*\}/);

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** How many characters of a segment are no parameter. */
const literalLength = (segment: string): number => literalsIn(segment).join('').length;

/** A segment of a path, with a pattern for any text in place of its parameters. */
const templateOf = (segment: string) => ({
  pattern: new RegExp(`^${literalsIn(segment).map(decode).map(literally).join('.+')}$`, 's'),
  length: literalLength(segment),
});

/** Finds out which paths of a contract a path with its parameters filled in may be taken for. */
export const createKnownPaths = (operations: readonly Operation[]) => {
  const paths = new Map<string, Operation[]>();
  for (const operation of operations) getOrInsert(paths, operation.path, () => []).push(operation);
  const known = [...paths].map(([path, own]) => ({
    path,
    operations: own,
    segments: path.split('/').map(templateOf),
  }));
  const matching = (made: string) => {
    const texts = made.split('/').map(decode);
    return known.filter(
      ({ segments }) =>
        segments.length === texts.length &&
        segments.every(({ pattern }, index) => pattern.test(texts[index] ?? '')),
    );
  };
  const othersThan = (own: string, made: string) => matching(made).filter(({ path }) => path !== own);
  return {
    /** The paths, each with its operations. */
    known,
    /** Whether a path is one of the contract. */
    isKnown: (made: string): boolean => matching(made).length > 0,
    /** The methods of other paths of the contract that this path may be taken for. */
    methodsElsewhere: (own: string, made: string): ReadonlySet<string> =>
      new Set(othersThan(own, made).flatMap((other) => other.operations.map(({ method }) => method))),
    /** Whether a path is a more literal one of the contract (OAS 3.1, section 4.8.8.2). */
    isMoreLiteral: (own: string, made: string): boolean => {
      const templates = own.split('/');
      return othersThan(own, made).some(({ segments }) =>
        segments.some(({ length }, index) => length > literalLength(templates[index] ?? '')),
      );
    },
  };
};
