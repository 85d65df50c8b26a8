import type { ValidateFunction } from 'ajv';
import type { Json } from './json.ts';
import { type Parameter, type RequestHead, readParameters } from './parameters.ts';
import { isTree } from './pointer.ts';
import { Problem } from './problem.ts';
import { describeErrors, listViolations } from './violations.ts';

/** A body that was read, not yet judged. */
export interface SentBody {
  /** The declared media type that covers it. */
  readonly mediaType: string;
  readonly json: Json;
}

/** Replaces every int64 of `holder[key]`, which its schema accepts, by its bigint. */
type DecodeInt64s = (holder: Record<string, unknown>, key: string, exact: unknown) => void;

/** A body of one media type, compiled. */
export interface BodyRule {
  /** Asks the schema of `{ requestBody }`; `undefined` where there is nothing to ask about. */
  readonly validate: ValidateFunction | undefined;
  readonly decodeInt64s: DecodeInt64s;
}

/** What a request is decoded by. */
export interface RequestRules {
  readonly parameters: readonly (Parameter & { readonly decodeInt64s: DecodeInt64s })[];
  /** Asks the schemas of `{ path, query, header, cookie }`. */
  readonly validateParameters: ValidateFunction;
  readonly bodies: ReadonlyMap<string, BodyRule>;
  readonly bodyRequired: boolean;
}

/** A file stands for itself; a schema can only be asked about JSON. */
const withoutFiles = (value: unknown): unknown =>
  isTree(value) && Object.values(value).some(Buffer.isBuffer)
    ? Object.fromEntries(
        Object.entries(value).map(([name, member]) => [name, Buffer.isBuffer(member) ? '' : member]),
      )
    : value;

/** Header parameters go by the names that the contract gives them. */
const byDeclaredName = (
  parameters: RequestRules['parameters'],
  header: Record<string, unknown>,
): Record<string, unknown> =>
  Object.fromEntries(
    parameters.flatMap(({ place, key, name }) =>
      place === 'header' && Object.hasOwn(header, key) ? [[name, header[key]]] : [],
    ),
  );

/** Where run time meets the types: what no schema complains of is what was generated from the schemas. */
function assertFits<T>(_request: unknown, violations: readonly string[]): asserts _request is T {
  if (violations.length > 0) throw new Problem('schemaMismatch', listViolations(violations));
}

/** Ajv recurses where a schema does; how deep a body may go is for the call stack to say. */
const withinTheStack = <T>(work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw error instanceof RangeError ? new Problem('schemaMismatch', 'body is nested too deeply') : error;
  }
};

/**
 * Compiles the way from a request as it was sent to the one that a handler gets: a `T`, which is what was generated
 * from the schemas. Throws a Problem that names every violation, of parameters and body alike.
 */
export const createRequestDecoder = ({
  parameters,
  validateParameters,
  bodies,
  bodyRequired,
}: RequestRules) => {
  const checkBody = (sent: SentBody | undefined): string[] => {
    if (!sent) return bodyRequired ? ['body is required'] : [];
    const { value, exact, unstorable } = sent.json;
    const validate = Buffer.isBuffer(value) ? undefined : bodies.get(sent.mediaType)?.validate;
    const valid =
      validate?.call({ exact: { requestBody: exact } }, { requestBody: withoutFiles(value) }) ?? true;
    return [...unstorable, ...(valid ? [] : describeErrors(validate?.errors))];
  };

  return <T>(head: RequestHead, sent: SentBody | undefined): T => {
    const { values, exact } = readParameters(parameters, head);
    const holder: Record<string, unknown> = { body: sent?.json.value };
    const violations = withinTheStack(() => [
      ...(validateParameters.call({ exact }, values) ? [] : describeErrors(validateParameters.errors)),
      ...checkBody(sent),
    ]);
    if (violations.length === 0) {
      for (const { place, key, decodeInt64s } of parameters)
        decodeInt64s(values[place], key, exact[place][key]);
      if (sent)
        withinTheStack(() => bodies.get(sent.mediaType)?.decodeInt64s(holder, 'body', sent.json.exact));
    }
    const request = { ...values, header: byDeclaredName(parameters, values.header), body: holder.body };
    assertFits<T>(request, violations);
    return request;
  };
};
