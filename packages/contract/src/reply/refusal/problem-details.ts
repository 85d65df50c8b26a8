import { allResponses } from '@trellis/openapi/internal/document';
import { essenceOf } from '@trellis/openapi/internal/http';
import { ownMember, sentenceOf, uriFragment, type Violation, valueAt } from '@trellis/openapi/internal/json';
import type { Refusal } from '../../problems/problem.ts';

/** The media type of problem details (RFC 9457, section 3). */
export const PROBLEM_JSON = 'application/problem+json';

/** Whether a media type is `application/problem+json` or derived from it: `application/vnd.shop.problem+json`. */
export const isProblemJson = (essence: string): boolean =>
  /^application\/(?:[^/]*[.+-])?problem\+json$/.test(essence);

/** Whether any response of a document has such a media type. */
export const usesProblemJson = (document: unknown): boolean =>
  allResponses(document)
    .flatMap((at) => Object.keys(ownMember(valueAt(document, at), 'content') ?? {}))
    .some((name) => isProblemJson(essenceOf(name)));

/** A refusal as problem details in the members of RFC 9457, section 3.1; `about:blank` has the title of the status. */
export const standardDetails = ({ title, status, message }: Refusal) => ({
  type: 'about:blank',
  title,
  status,
  detail: message,
});

const errorOf = (violation: Violation) => ({
  detail: sentenceOf(violation),
  ...(violation.pointer !== undefined && { pointer: uriFragment(violation.pointer) }),
});

/** The same with the members `code` and, as in the example of RFC 9457, section 3, `errors`. */
export const problemDetails = (refusal: Refusal): object => ({
  ...standardDetails(refusal),
  code: refusal.code,
  ...(refusal.violations.length > 0 && { errors: refusal.violations.map(errorOf) }),
});
