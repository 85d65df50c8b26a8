import { parameterNamesIn } from '@trellis/openapi/internal/document';
import { getOrInsert } from '@trellis/openapi/internal/json';
import type { Operation, Parameter } from './operations.ts';

/** The path parameters of an operation in the order of its path. */
export const pathParametersOf = ({ path, parameters }: Operation): Parameter[] =>
  parameterNamesIn(path).flatMap(
    (name) => parameters.find((each) => each.in === 'path' && each.name === name) ?? [],
  );

/** A path without the names of its parameters, and without a slash at its end: `/things/{}`. */
export const shapeOfPath = (path: string): string => path.replace(/\{[^}]*\}/g, '{}').replace(/\/$/, '');

/** Escapes a text for a regular expression. */
export const literally = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

const literalsIn = (segment: string): string[] => segment.split(/\{[^}]*\}/);

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const literalLength = (segment: string): number => literalsIn(segment).join('').length;

/** A segment of a path as a pattern in which a parameter matches any text. */
const templateOf = (segment: string) => ({
  pattern: new RegExp(`^${literalsIn(segment).map(decode).map(literally).join('.+')}$`, 's'),
  length: literalLength(segment),
});

/** Matches filled-in paths against all paths of a contract. */
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
    known,
    isKnown: (made: string): boolean => matching(made).length > 0,
    /** The methods of other paths that match this filled-in path. */
    methodsElsewhere: (own: string, made: string): ReadonlySet<string> =>
      new Set(othersThan(own, made).flatMap((other) => other.operations.map(({ method }) => method))),
    /** Whether another path of the contract matches with more literal characters (OAS 3.1, section 4.8.8.2). */
    isMoreLiteral: (own: string, made: string): boolean => {
      const templates = own.split('/');
      return othersThan(own, made).some(({ segments }) =>
        segments.some(({ length }, index) => length > literalLength(templates[index] ?? '')),
      );
    },
  };
};
