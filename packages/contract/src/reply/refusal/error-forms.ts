import { allResponses } from '@trellis/openapi/internal/document';
import { essenceOf, mediaKindOf } from '@trellis/openapi/internal/http';
import {
  followRefs,
  ownMember,
  pointerTo,
  sentenceOf,
  toJson,
  uriFragment,
  type Violation,
  valueAt,
} from '@trellis/openapi/internal/json';
import { membersOf } from '@trellis/openapi/internal/schema';
import { escapeMarkup, toXml } from '../../codec/xml.ts';
import { codeNameOf, problem, type Refusal, titleOf } from '../../problems/problem.ts';
import { type Validate, violationsIn } from '../../validation/validators.ts';

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

/** Makes the body of an error reply; `undefined` leaves it to the contract. */
export type ErrorBodyOf = (refusal: Refusal) => unknown;

/** How a refusal is written. */
export interface Form {
  /** The `Content-Type`; `undefined` without a body. */
  readonly mediaType: string | undefined;
  readonly write: (refusal: Refusal) => string;
}

/** A Problem as its public details. */
export const describe = ({ code, codeName, status, title, message, violations }: Refusal): Refusal => ({
  code,
  codeName,
  status,
  title,
  message,
  violations,
});

const plainBody: ErrorBodyOf = ({ code, message }) => problem(code, message);

/** The body `{ error, message }`, which is sent if no other body fits. */
export const PLAIN: Form = { mediaType: 'application/json', write: (refusal) => toJson(plainBody(refusal)) };

const EMPTY: Form = { mediaType: undefined, write: () => '' };

/** About as long as a message gets, which lists twenty violations. */
const LONG = 'it is invalid; '.repeat(300);

const VIOLATIONS: readonly Violation[] = [
  { place: 'query.limit', message: 'must be an integer' },
  { place: 'body.name', message: 'is required', pointer: '/name' },
];

/** Refusals of a status that any other one resembles: a short one, and a long one with violations. */
const samplesOf = (status: number): Refusal[] => {
  const code = status * 100 + 99;
  const sample = { code, codeName: codeNameOf(code), status, title: titleOf(status) };
  return [
    { ...sample, message: 'something is wrong', violations: [] },
    { ...sample, message: LONG, violations: VIOLATIONS },
  ];
};

/**
 * Creates a check whether a body fits the schema at a pointer, for any refusal of a status. Nothing fits a schema that
 * cannot be compiled.
 */
export const createErrorFit =
  (validatorAt: (pointer: string) => Validate) =>
  (body: ErrorBodyOf, status: number, schemaAt: string | undefined): boolean => {
    try {
      return samplesOf(status).every((sample) => {
        const value = body(sample);
        if (value === undefined || schemaAt === undefined) return value !== undefined;
        return violationsIn(toJson(value), validatorAt(schemaAt), true).length === 0;
      });
    } catch {
      return false;
    }
  };

/** Cuts a text to at most `most` code points, the unit that Ajv counts. */
const cut = (text: string, most: number): string =>
  text.length > most ? Array.from(text).slice(0, most).join('') : text;

/** The message as escaped text: it repeats names from the request. */
const textForm = (mediaType: string, most: number): Form => {
  const isPlain = essenceOf(mediaType) === 'text/plain';
  return {
    mediaType: mediaType.includes(';') ? mediaType : `${mediaType}; charset=utf-8`,
    write: ({ message }) =>
      isPlain ? cut(message, most) : cut(escapeMarkup(message), most).replace(/&[^;]*$/, ''),
  };
};

/** The media type to send, where a contract declares a range of JSON or text. */
const RANGES: Readonly<Record<string, string>> = {
  '*/*': 'application/json',
  'application/*': 'application/json',
  'text/*': 'text/plain',
};

/** A place in a contract that declares a refusal. */
export interface DeclaredError {
  /** The pointer of the response. */
  readonly responseAt: string;
  readonly status: number;
  readonly operationId: string;
}

/**
 * Compiles how a refusal is written in the media types that a response declares. The order is described in
 * docs/reference/errors.md. Returns `undefined` if nothing fits: bodies are tried with samples, so that a refusal costs no
 * validation.
 */
export const createErrorForms = (
  document: unknown,
  validatorAt: (pointer: string) => Validate,
  errorBody: ErrorBodyOf,
) => {
  const fits = createErrorFit(validatorAt);

  const contentsAt = (contentAt: string) =>
    Object.keys(valueAt(document, contentAt) ?? {}).map((name) => {
      const mediaType = RANGES[essenceOf(name)] ?? name;
      const at = followRefs(document, contentAt + pointerTo(name, 'schema'));
      const schema = valueAt(document, at) === undefined ? undefined : at;
      const members = schema === undefined ? [] : membersOf(document, schema);
      const has = (...names: readonly string[]) => names.every((each) => members.includes(each));
      return {
        mediaType,
        kind: mediaKindOf(mediaType),
        schema,
        isDetails: isProblemJson(essenceOf(name)) || has('title', 'status', 'detail'),
        isPlain: members.length === 0 || has('error', 'message'),
      };
    });

  return ({ responseAt, status, operationId }: DeclaredError): Form | undefined => {
    const contents = contentsAt(responseAt + pointerTo('content'));
    if (contents.length === 0) return EMPTY;
    /** Passes the declared error to the owner's function. */
    const ownBody =
      (schema: string | undefined): ErrorBodyOf =>
      (refusal) =>
        errorBody({ ...describe(refusal), operationId, schema });
    const json = contents.filter(({ kind }) => kind === 'json');
    const details = json.filter(({ isDetails }) => isDetails);
    const candidates = [
      ...json.map((content) => ({ content, body: ownBody(content.schema) })),
      ...details.map((content) => ({ content, body: problemDetails })),
      ...details.map((content) => ({ content, body: standardDetails })),
      ...json.filter(({ isPlain }) => isPlain).map((content) => ({ content, body: plainBody })),
    ];
    const found = candidates.find(({ content, body }) => fits(body, status, content.schema));
    if (found) return { mediaType: found.content.mediaType, write: (refusal) => toJson(found.body(refusal)) };
    const [other] = ['xml', 'text'].flatMap((kind) => contents.filter((content) => content.kind === kind));
    if (!other) return undefined;
    const { mediaType, kind, schema } = other;
    if (kind === 'text') {
      const most = ownMember(valueAt(document, schema ?? ''), 'maxLength');
      return textForm(mediaType, typeof most === 'number' ? most : Number.POSITIVE_INFINITY);
    }
    const body = ownBody(schema);
    return { mediaType, write: (refusal) => toXml(body(refusal) ?? plainBody(refusal), 'error') };
  };
};
