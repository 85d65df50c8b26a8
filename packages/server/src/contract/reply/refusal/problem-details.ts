import { allResponses } from '@trellis/openapi/document';
import { essenceOf } from '@trellis/openapi/http';
import { ownMember, sentenceOf, uriFragment, valueAt } from '@trellis/openapi/json';
import type { Refusal } from '../../problems/problem.ts';

/** The media type of problem details (RFC 9457, section 3). */
export const PROBLEM_JSON = 'application/problem+json';

/** Whether a media type is that of problem details, or one derived from it: `application/vnd.shop.problem+json`. */
export const isProblemJson = (essence: string): boolean =>
  /^application\/(?:[^/]*[.+-])?problem\+json$/.test(essence);

/** Whether any response of a document has such a media type. */
export const usesProblemJson = (document: unknown): boolean =>
  allResponses(document)
    .flatMap((at) => Object.keys(ownMember(valueAt(document, at), 'content') ?? {}))
    .some((name) => isProblemJson(essenceOf(name)));

/** RFC 9457, section 3.1; with `about:blank` the title is that of the status (section 4.2.1). */
const details = ({ title, status, message }: Refusal) => ({
  type: 'about:blank',
  title,
  status,
  detail: message,
});

const withCode = (refusal: Refusal) => ({ ...details(refusal), code: refusal.code });

/** The violations one by one, as in the example of RFC 9457, section 3. */
const errorsOf = ({ violations }: Refusal) =>
  violations.length === 0
    ? {}
    : {
        errors: violations.map((violation) => ({
          detail: sentenceOf(violation),
          ...(violation.pointer !== undefined && { pointer: uriFragment(violation.pointer) }),
        })),
      };

/** A refusal as problem details, with the members `code` and `errors` beside those of the standard. */
export const problemDetails = (refusal: Refusal): object => ({ ...withCode(refusal), ...errorsOf(refusal) });

/** Problem details, most telling first: a schema may forbid `code` or `errors`, or mean something else by them. */
export const PROBLEM_DETAILS: readonly ((refusal: Refusal) => object)[] = [
  problemDetails,
  (refusal) => ({ ...details(refusal), ...errorsOf(refusal) }),
  withCode,
  details,
];
