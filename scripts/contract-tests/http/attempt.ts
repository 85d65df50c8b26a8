import type { Operation, Parameter } from '../document/operations.ts';
import type { Place } from '../document/place.ts';
import { single } from '../exchange/breach.ts';
import type { Answer, Draft } from '../requests/draft.ts';
import type { Json } from '../values/json.ts';

/** A request about HTTP itself, and how its answer is judged. */
export interface Attempt {
  /** What is sent: `PATCH, which is not declared`. */
  readonly name: string;
  readonly draft: Draft;
  /** What is wrong with an answer, in words. */
  readonly judge: (answer: Answer) => string | undefined;
  /** Whether a service may close the connection, before it answers or after. */
  readonly mayHangUp?: boolean;
}

/** A valid request of an operation, which attempts are made from. */
export interface Sample {
  readonly operation: Operation;
  readonly draft: Draft;
}

/** Whether an answer is a success. A page for people may be there for any path, and is none of the contract. */
export const isSuccess = ({ status, headers }: Answer): boolean =>
  status >= 200 && status < 300 && !/^text\/html\b/i.test(single(headers['content-type']) ?? '');

/** Whether a stub answers, which may have any status that the contract declares. */
export const isStub = ({ headers }: Answer): boolean => headers['x-stub'] !== undefined;

/** What is wrong with any answer: the service failed. 501 says that it does not know the method (RFC 9110, section 15.6.2). */
export const crashOf = (answer: Answer): string | undefined =>
  answer.status >= 500 && answer.status !== 501 && !isStub(answer)
    ? `status ${answer.status}: the service failed`
    : undefined;

/** The place of the path of an operation. */
const pathAt = ({ at: { file, pointer } }: Operation): Place => ({
  file,
  pointer: pointer.replace(/\/[^/]*$/, ''),
});

/** A request to a path of the contract that is none of its operations. */
export const elsewhere = (
  { operation, draft }: Sample,
  {
    method = operation.method,
    path = operation.path,
    ...rest
  }: Partial<Draft> & { method?: string; path?: string },
): Draft => ({
  ...draft,
  ...rest,
  operation: { ...operation, id: operation.path, method, path, at: pathAt(operation), responses: new Map() },
});

/** A parameter that the contract does not know. */
const undeclared = (place: 'query' | 'header', name: string, at: Place): Parameter => ({
  in: place,
  name,
  isRequired: false,
  style: place === 'query' ? 'form' : 'simple',
  explode: false,
  isJson: false,
  schema: true,
  examples: {},
  at,
});

/** A draft with one more parameter. */
export const withMore = (draft: Draft, place: 'query' | 'header', name: string, value: Json): Draft => ({
  ...draft,
  parameters: new Map(draft.parameters).set(undeclared(place, name, draft.operation.at), value),
});

/** Whether an operation asks for credentials, whatever alternative is used. */
export const isSecured = ({ security }: Operation): boolean =>
  security.length > 0 && security.every((schemes) => schemes.length > 0);
