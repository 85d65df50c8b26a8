import fc from 'fast-check';
import type { Side } from '../document/contract.ts';
import type { Content, Operation, Parameter, Scheme } from '../document/operations.ts';
import { patiently } from '../generation/patiently.ts';
import type { Alphabet } from '../generation/scalars.ts';
import type { Json } from '../values/json.ts';
import type { Bodies, BodyValue } from './bodies.ts';
import { pathOf } from './draft.ts';
import type { Readings } from './readings.ts';
import { canWrite } from './styles.ts';

/** A request that the contract allows. */
export interface ValidRequest {
  readonly parameters: ReadonlyMap<Parameter, Json>;
  readonly body: { readonly content: Content; readonly value: BodyValue } | undefined;
  /** The schemes of the alternative by which the caller is let in. */
  readonly schemes: readonly Scheme[];
}

/** These belong to the connection; a client cannot choose them freely. */
const FRAMING =
  /^(?:host|connection|content-length|content-encoding|transfer-encoding|expect|upgrade|te|trailer|cookie)$/i;

/** What can stand beside other text, or between delimiters, without being taken for them. */
const alphabetOf = ({ path }: Operation, { in: place, style, name }: Parameter): Alphabet => {
  const isAlone = path.split('/').includes(`{${name}}`);
  if (place === 'header' || place === 'cookie' || (place === 'path' && !isAlone)) return 'word';
  return style === 'label' || style.endsWith('Delimited') ? 'word' : 'any';
};

const isLiteral = (segment: string): boolean => !segment.includes('{');

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const patternOf = (segment: string): RegExp =>
  new RegExp(
    `^${segment
      .split(/\{[^}]*\}/)
      .map(escapePattern)
      .join('.+')}$`,
    's',
  );

/** Whether a path, with its parameters in place, is taken for a more literal one (OAS 3.1, section 4.8.8.2). */
const createIsTaken = (operations: readonly Operation[]) => {
  const paths = [...new Set(operations.map(({ path }) => path))].map((path) => ({
    path,
    segments: path
      .split('/')
      .map((segment) => ({ pattern: patternOf(segment), literal: isLiteral(segment) })),
  }));
  return (own: string, made: string): boolean => {
    const templates = own.split('/');
    const segments = made.split('/').map((segment) => decodeURIComponent(segment));
    return paths.some(
      (other) =>
        other.path !== own &&
        other.segments.length === segments.length &&
        other.segments.every(({ pattern }, index) => pattern.test(segments[index] ?? '')) &&
        other.segments.some(({ literal }, index) => literal && !isLiteral(templates[index] ?? '')),
    );
  };
};

/** Makes arbitraries of the requests that the contract allows. */
export const createValidRequests = (
  { arbitraryOf }: Side,
  { shapeOf, withinReach, isSurelyValid }: Readings,
  { valuesOf, write }: Bodies,
  operations: readonly Operation[],
) => {
  const isTaken = createIsTaken(operations);

  const ofParameter = (operation: Operation, parameter: Parameter): fc.Arbitrary<Json> => {
    const { schema, isJson } = parameter;
    const shape = shapeOf(schema);
    return patiently(
      arbitraryOf(schema, alphabetOf(operation, parameter)).map((value) => withinReach(parameter, value)),
      (value) => canWrite(parameter, shape, value) && (isJson || isSurelyValid(schema, value)),
      () =>
        new Error(`nothing can be made for ${parameter.in} parameter ${parameter.name} of ${operation.id}`),
    );
  };

  /** What can be made; an optional part that cannot is left out. */
  const attempt = <T>(make: () => fc.Arbitrary<T> | undefined, isRequired: boolean): fc.Arbitrary<T>[] => {
    try {
      const values = make();
      if (values) fc.sample(values, { seed: 1, numRuns: 5 });
      return values ? [values] : [];
    } catch (error) {
      if (isRequired) throw error;
      return [];
    }
  };

  const parametersOf = (operation: Operation): fc.Arbitrary<ReadonlyMap<Parameter, Json>> => {
    const entries = operation.parameters
      .filter((parameter) => parameter.in !== 'header' || !FRAMING.test(parameter.name))
      .flatMap((parameter) =>
        attempt(() => ofParameter(operation, parameter), parameter.isRequired).map((values) => {
          const pair = values.map((value): [Parameter, Json][] => [[parameter, value]]);
          return parameter.isRequired || parameter.in === 'path' ? pair : fc.option(pair, { nil: [] });
        }),
      );
    return patiently(
      fc.tuple(...entries).map((pairs) => new Map(pairs.flat())),
      (parameters) => !isTaken(operation.path, pathOf(operation.path, parameters)),
      () => new Error(`no path of ${operation.id} can be told from the others of the contract`),
    );
  };

  const bodyOf = ({ id, body }: Operation): fc.Arbitrary<ValidRequest['body']> => {
    if (!body || body.contents.length === 0) return fc.constant(undefined);
    const made = body.contents.flatMap((content) =>
      attempt(() => valuesOf(content), false).map((values) =>
        values.filter((value) => write(content, value) !== undefined).map((value) => ({ content, value })),
      ),
    );
    if (made.length === 0 && body.isRequired)
      throw new Error(`no body can be made for ${id}: give its schema an example`);
    if (made.length === 0) return fc.constant(undefined);
    const bodies = fc.oneof(...made);
    return body.isRequired ? bodies : fc.option(bodies, { nil: undefined });
  };

  /** Requests that an operation allows, for a caller who can prove what one of these alternatives asks. */
  return (operation: Operation, alternatives: readonly (readonly Scheme[])[]): fc.Arbitrary<ValidRequest> =>
    fc.record({
      parameters: parametersOf(operation),
      body: bodyOf(operation),
      schemes: fc.constantFrom(...(alternatives.length === 0 ? [[]] : alternatives)),
    });
};
