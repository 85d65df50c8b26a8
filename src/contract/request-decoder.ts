import type { DecodedBody } from './body/decoders.ts';
import { createInquiry, type Inquiry } from './json/inquiry.ts';
import { type Parameter, type Parts, type RequestHead, readParameters } from './parameters/parameters.ts';
import { Problem } from './problems/problem.ts';
import { listViolations } from './problems/violations.ts';
import type { Principal } from './security.ts';
import type { Judge } from './validation/judge.ts';

/** A body that was read, not yet judged. */
export interface SentBody {
  /** The declared media type that covers it. */
  readonly mediaType: string;
  readonly json: DecodedBody;
}

/** Makes of `holder[key]`, which its schema accepts, what a handler gets. */
type DecodeValue = (holder: Record<string, unknown>, key: string, exact: unknown, inquiry: Inquiry) => void;

/** A body of one media type, compiled. */
export interface BodyRule {
  /** Asks the schema of `{ requestBody }`; `undefined` where there is nothing to ask about. */
  readonly judge: Judge | undefined;
  readonly decodeValue: DecodeValue;
}

/** What a request is decoded by. */
export interface RequestRules {
  readonly parameters: readonly (Parameter & { readonly decodeValue: DecodeValue })[];
  /** Asks the schemas of `{ path, query, header, cookie }`. */
  readonly judgeParameters: Judge;
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
export const createRequestDecoder = ({ parameters, judgeParameters, bodies, bodyRequired }: RequestRules) => {
  const headerNames = parameters.filter(({ place }) => place === 'header');

  const inquireBody = ({ json: { value, exact } }: SentBody): Inquiry =>
    createInquiry({ requestBody: value }, exact === undefined ? undefined : { requestBody: exact });

  const checkBody = (sent: SentBody | undefined, inquiry: Inquiry | undefined): readonly string[] => {
    if (!sent || !inquiry) return bodyRequired ? ['body is required'] : [];
    const { unstorable, isBytes } = sent.json;
    const violations = (!isBytes && bodies.get(sent.mediaType)?.judge?.(inquiry)) || [];
    return unstorable.length > 0 ? [...unstorable, ...violations] : violations;
  };

  const check = (
    ofParameters: Inquiry | undefined,
    sent: SentBody | undefined,
    ofBody: Inquiry | undefined,
  ): readonly string[] => {
    const inBody = checkBody(sent, ofBody);
    const inParameters = ofParameters ? judgeParameters(ofParameters) : [];
    return inParameters.length > 0 ? [...inParameters, ...inBody] : inBody;
  };

  const decodeParameters = (holder: Holder, exact: Parts, inquiry: Inquiry): void => {
    for (const { place, key, decodeValue } of parameters)
      decodeValue(holder[place], key, exact[place][key], inquiry);
    if (headerNames.length > 0) holder.header = byDeclaredName(headerNames, holder.header);
  };

  const decodeBody = (holder: Holder, { mediaType, json }: SentBody, inquiry: Inquiry): void => {
    if (!json.isBytes) bodies.get(mediaType)?.decodeValue(holder, 'body', json.exact, inquiry);
    json.restoreFiles?.();
  };

  return <T>(head: RequestHead, sent: SentBody | undefined, principal?: Principal): T => {
    const { values, exact } = readParameters(parameters, head);
    const { path, query, header, cookie } = values;
    const holder: Holder = { path, query, header, cookie, body: sent?.json.value, principal };
    const ofParameters = parameters.length > 0 ? createInquiry(values, exact) : undefined;
    const ofBody = sent && inquireBody(sent);
    try {
      const violations = check(ofParameters, sent, ofBody);
      if (violations.length === 0 && ofParameters) decodeParameters(holder, exact, ofParameters);
      if (violations.length === 0 && sent && ofBody) decodeBody(holder, sent, ofBody);
      assertFits<T>(holder, violations);
      return holder;
    } catch (error) {
      // Ajv recurses where a schema does; how deep a body may go is for the call stack to say.
      throw error instanceof RangeError ? new Problem('schemaMismatch', 'body is nested too deeply') : error;
    }
  };
};
