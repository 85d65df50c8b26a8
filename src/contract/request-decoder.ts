import type { ValidateFunction } from 'ajv';
import type { DecodedBody } from './body-decoders.ts';
import { type Parameter, type Parts, type RequestHead, readParameters } from './parameters.ts';
import { Problem } from './problem.ts';
import type { Principal } from './security.ts';
import { describeErrors, listViolations } from './violations.ts';

/** A body that was read, not yet judged. */
export interface SentBody {
  /** The declared media type that covers it. */
  readonly mediaType: string;
  readonly json: DecodedBody;
}

/** Makes of `holder[key]`, which its schema accepts, what a handler gets. */
type DecodeValue = (holder: Record<string, unknown>, key: string, exact: unknown) => void;

/** A body of one media type, compiled. */
export interface BodyRule {
  /** Asks the schema of `{ requestBody }`; `undefined` where there is nothing to ask about. */
  readonly validate: ValidateFunction | undefined;
  readonly decodeValue: DecodeValue;
}

/** What a request is decoded by. */
export interface RequestRules {
  readonly parameters: readonly (Parameter & { readonly decodeValue: DecodeValue })[];
  /** Asks the schemas of `{ path, query, header, cookie }`. */
  readonly validateParameters: ValidateFunction;
  readonly bodies: ReadonlyMap<string, BodyRule>;
  readonly bodyRequired: boolean;
}

/** The request that a handler gets, in the making. */
interface Holder extends Record<string, unknown> {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  header: Record<string, unknown>;
  cookie: Record<string, unknown>;
  body: unknown;
  principal: Principal | undefined;
}

/** Header parameters go by the names that the contract gives them. */
const byDeclaredName = (
  parameters: readonly Parameter[],
  header: Record<string, unknown>,
): Record<string, unknown> =>
  Object.fromEntries(
    parameters.flatMap(({ key, name }) => (Object.hasOwn(header, key) ? [[name, header[key]]] : [])),
  );

/** Where run time meets the types: what no schema complains of is what was generated from the schemas. */
function assertFits<T>(_request: unknown, violations: readonly string[]): asserts _request is T {
  if (violations.length > 0) throw new Problem('schemaMismatch', listViolations(violations));
}

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
  const headerNames = parameters.filter(({ place }) => place === 'header');

  const checkBody = (sent: SentBody | undefined): readonly string[] => {
    if (!sent) return bodyRequired ? ['body is required'] : [];
    const { value, exact, unstorable, isBytes } = sent.json;
    const validate = isBytes ? undefined : bodies.get(sent.mediaType)?.validate;
    const context = { exact: exact === undefined ? undefined : { requestBody: exact } };
    const valid = validate?.call(context, { requestBody: value }) ?? true;
    return valid ? unstorable : [...unstorable, ...describeErrors(validate?.errors)];
  };

  const check = (values: Parts, exact: Parts, sent: SentBody | undefined): readonly string[] => {
    const ofBody = checkBody(sent);
    if (parameters.length === 0 || validateParameters.call({ exact }, values)) return ofBody;
    return [...describeErrors(validateParameters.errors), ...ofBody];
  };

  const decodeAll = (holder: Holder, exact: Parts, sent: SentBody | undefined): void => {
    for (const { place, key, decodeValue } of parameters) decodeValue(holder[place], key, exact[place][key]);
    if (sent && !sent.json.isBytes) bodies.get(sent.mediaType)?.decodeValue(holder, 'body', sent.json.exact);
    sent?.json.restoreFiles?.();
    if (headerNames.length > 0) holder.header = byDeclaredName(headerNames, holder.header);
  };

  return <T>(head: RequestHead, sent: SentBody | undefined, principal?: Principal): T => {
    const { values, exact } = readParameters(parameters, head);
    const { path, query, header, cookie } = values;
    const holder: Holder = { path, query, header, cookie, body: sent?.json.value, principal };
    try {
      const violations = check(values, exact, sent);
      if (violations.length === 0) decodeAll(holder, exact, sent);
      assertFits<T>(holder, violations);
      return holder;
    } catch (error) {
      // Ajv recurses where a schema does; how deep a body may go is for the call stack to say.
      throw error instanceof RangeError ? new Problem('schemaMismatch', 'body is nested too deeply') : error;
    }
  };
};
