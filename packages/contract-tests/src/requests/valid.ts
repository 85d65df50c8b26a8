import fc from 'fast-check';
import type { Schemas } from '../document/contract.ts';
import type { Content, Operation, Parameter, Scheme } from '../document/operations.ts';
import { createKnownPaths } from '../document/paths.ts';
import { filterOrGiveUp, NotGenerated } from '../generation/arbitraries.ts';
import type { Alphabet } from '../generation/scalars.ts';
import type { Json } from '../values/json.ts';
import { type BodyValue, bodiesOf, writeBody } from './bodies.ts';
import { type Call, pathOf } from './call.ts';
import { canWrite, keepWritable } from './styles.ts';

/** A valid request. */
export interface ValidRequest {
  readonly parameters: ReadonlyMap<Parameter, Json>;
  readonly body: { readonly content: Content; readonly value: BodyValue } | undefined;
  readonly schemes: readonly Scheme[];
}

/** Creates the call of a valid request. */
export const callOf = (operation: Operation, valid: ValidRequest, schemas: Schemas): Call => ({
  operation,
  parameters: valid.parameters,
  body: valid.body && writeBody(schemas, valid.body.content, valid.body.value),
  credentials: valid.schemes.map((scheme) => ({ scheme })),
});

/** Removes optional parameters, which may prevent a change or filter a reply. */
export const withoutOptions = (valid: ValidRequest): ValidRequest => ({
  ...valid,
  parameters: new Map([...valid.parameters].filter(([each]) => each.isRequired || each.in === 'path')),
});

/** Headers that the HTTP client controls. */
const FRAMING =
  /^(?:host|connection|content-length|content-encoding|transfer-encoding|expect|upgrade|te|trailer|cookie)$/i;

/** Headers with entity tags, which have a syntax (RFC 9110, section 13.1) beyond their schemas. */
const OF_TAGS = /^if-(?:match|none-match|range)$/i;

const TAG = /^(?:(?:W\/)?"[!\x23-\x7e]*"|\*)$/;

/** Whether a value is no entity tag in a header that takes one. */
export const lacksTag = ({ in: place, name }: Parameter, value: Json): boolean =>
  place === 'header' && OF_TAGS.test(name) && !(typeof value === 'string' && TAG.test(value));

/** The alphabet of a parameter: restricted beside other text or between delimiters. */
export const alphabetOf = ({ path }: Operation, { in: place, style, name }: Parameter): Alphabet => {
  const isAlone = path.split('/').includes(`{${name}}`);
  if (place === 'header' || place === 'cookie' || (place === 'path' && !isAlone)) return 'word';
  return style === 'label' || style.endsWith('Delimited') ? 'word' : 'any';
};

/** Quotes text as an entity tag, if the schema allows it. */
const toTag = ({ isSurelyValid }: Schemas, parameter: Parameter, value: Json): Json => {
  if (typeof value === 'object' || !lacksTag(parameter, value)) return value;
  const tag = `"${value}"`;
  return isSurelyValid(parameter.schema, tag) ? tag : value;
};

const valuesOfParameter = (
  schemas: Schemas,
  operation: Operation,
  parameter: Parameter,
): fc.Arbitrary<Json> => {
  const { schema, isJson, in: place, name } = parameter;
  const shape = schemas.shapeOf(schema);
  return filterOrGiveUp(
    schemas
      .arbitraryOf(schema, alphabetOf(operation, parameter))
      .map((value) => keepWritable(schemas, parameter, toTag(schemas, parameter, value))),
    (value) => canWrite(parameter, shape, value) && (isJson || schemas.isSurelyValid(schema, value)),
    new NotGenerated(`no value can be generated for ${place} parameter ${name} of ${operation.id}`),
  );
};

/** Returns [] for an optional part that cannot be generated. */
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

const parametersOf = (schemas: Schemas, operation: Operation) => {
  const entries = operation.parameters
    .filter((parameter) => parameter.in !== 'header' || !FRAMING.test(parameter.name))
    .flatMap((parameter) =>
      attempt(() => valuesOfParameter(schemas, operation, parameter), parameter.isRequired).map((values) => {
        const pair = values.map((value): [Parameter, Json][] => [[parameter, value]]);
        return parameter.isRequired || parameter.in === 'path' ? pair : fc.option(pair, { nil: [] });
      }),
    );
  return fc.tuple(...entries).map((pairs) => new Map(pairs.flat()));
};

/** Arbitrary of valid bodies of a content that its media type can express. */
const writableOf = (schemas: Schemas, content: Content, id: string) => {
  const values = bodiesOf(schemas, content);
  const problem = new NotGenerated(`no value of ${content.mediaType} can be written for ${id}`);
  return (
    values && filterOrGiveUp(values, (value) => writeBody(schemas, content, value) !== undefined, problem)
  );
};

const bodyOf = (schemas: Schemas, { id, body }: Operation): fc.Arbitrary<ValidRequest['body']> => {
  if (!body || body.contents.length === 0) return fc.constant(undefined);
  const made = body.contents.flatMap((content) =>
    attempt(() => writableOf(schemas, content, id), false).map((values) =>
      values.map((value) => ({ content, value })),
    ),
  );
  const problem = `no body can be generated for ${id}: neither its schema nor its examples give one`;
  if (made.length === 0 && body.isRequired) throw new NotGenerated(problem);
  if (made.length === 0) return fc.constant(undefined);
  return body.isRequired ? fc.oneof(...made) : fc.option(fc.oneof(...made), { nil: undefined });
};

/** Creates a function that returns arbitraries of valid requests, given alternative credentials. */
export const createValidRequests = (schemas: Schemas, operations: readonly Operation[]) => {
  const { isMoreLiteral } = createKnownPaths(operations);
  return (operation: Operation, alternatives: readonly (readonly Scheme[])[]): fc.Arbitrary<ValidRequest> =>
    fc.record({
      parameters: filterOrGiveUp(
        parametersOf(schemas, operation),
        (parameters) => !isMoreLiteral(operation.path, pathOf(operation.path, parameters)),
        new NotGenerated(`every path of ${operation.id} matches another path of the contract`),
      ),
      body: bodyOf(schemas, operation),
      schemes: fc.constantFrom(...(alternatives.length === 0 ? [[]] : alternatives)),
    });
};
