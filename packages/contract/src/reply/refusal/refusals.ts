import { followRefs, once, oncePerKey, pointerTo, toJson, valueAt } from '@trellis/openapi/internal/json';
import { createValues } from '@trellis/openapi/internal/values';
import type { Problem, Refusal } from '../../problems/problem.ts';
import { createDeclaredHeaders } from '../declared-headers.ts';
import type { WireReply } from '../replies.ts';
import { keyFor } from '../reply.ts';
import type { ReplyRules } from '../streams.ts';
import {
  createErrorForms,
  describe,
  type ErrorBodyOf,
  type Form,
  PLAIN,
  PROBLEM_JSON,
  problemDetails,
  usesProblemJson,
} from './error-forms.ts';

/** Makes the reply that refuses a request. It never throws. */
export type Refuse = (problem: Problem) => WireReply;

/** Writes a warning into the log. */
export type Warn = (details: object, message: string) => void;

/** How refusals are written and validated. */
export interface RefusalRules extends Pick<ReplyRules, 'validatorAt'> {
  readonly errorBody?: ErrorBodyOf | undefined;
  /** Gets each response that no error body fits, and the first error of `errorBody`. */
  readonly warn?: Warn | undefined;
}

const SILENT: Warn = () => {};

const UNFIT =
  'no error body fits the declared response, so { error, message } is sent; return one that fits from errorBody';

/** The owner's function, which may throw: the service must still reply, so the first error is only logged. */
const guard = (errorBody: ErrorBodyOf | undefined, warn: Warn): ErrorBodyOf => {
  let hasFailed = false;
  return (refusal) => {
    try {
      return errorBody?.(refusal);
    } catch (err) {
      if (!hasFailed) warn({ err }, 'errorBody has failed; the contract decides the body of error replies');
      hasFailed = true;
      return undefined;
    }
  };
};

/** The form of refusals that the contract does not declare. */
const createGeneralForm = (document: unknown, errorBody: ErrorBodyOf): Form => {
  const { mediaType, write } = usesProblemJson(document)
    ? { mediaType: PROBLEM_JSON, write: (refusal: Refusal) => toJson(problemDetails(refusal)) }
    : PLAIN;
  return {
    mediaType,
    write: (refusal) => {
      const own = errorBody(describe(refusal));
      return own === undefined ? write(refusal) : toJson(own);
    },
  };
};

type Headers = Readonly<Record<string, string>>;

/** The headers that a problem does not have, whatever the case of their names. */
const without = (headers: Headers, { headers: others }: Problem): Headers => {
  const given = new Set(Object.keys(others).map((name) => name.toLowerCase()));
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !given.has(name.toLowerCase())));
};

/** Writes a problem as a reply, with more headers unless the problem has them. */
const replyAs = ({ mediaType, write }: Form, problem: Problem, headers: Headers = {}): WireReply => {
  const payload = write(problem);
  return {
    status: problem.status,
    payload,
    headers: {
      ...(mediaType !== undefined && { 'Content-Type': mediaType }),
      'Content-Length': Buffer.byteLength(payload),
      ...problem.headers,
      ...without(headers, problem),
    },
  };
};

/**
 * Compiles how operations refuse requests. The response that an operation declares for the status determines the media
 * type and the shape; the form is chosen when it is first needed. Undeclared statuses get the general form of the service.
 */
export const createRefusals = (
  document: unknown,
  { validatorAt, errorBody, warn = SILENT }: RefusalRules,
) => {
  const ownBody = guard(errorBody, warn);
  const general = once(() => createGeneralForm(document, ownBody));
  const formAt = createErrorForms(document, validatorAt, ownBody);
  const makeValue = createValues(document);
  /** Examples of the headers that a response requires. */
  const headersAt = createDeclaredHeaders(
    document,
    ([given], schemaAt) => given ?? (schemaAt && makeValue(schemaAt)),
    true,
  );

  const choose = (responsesAt: string, operationId: string, status: number) => {
    const key = keyFor(valueAt(document, responsesAt), status);
    if (key === undefined) return { form: general(), headers: {} };
    const responseAt = followRefs(document, responsesAt + pointerTo(key));
    const form = formAt({ responseAt, status, operationId });
    if (!form) warn({ operationId, status, response: responseAt }, UNFIT);
    return { form: form ?? PLAIN, headers: headersAt(responseAt) };
  };

  /** Compiles the refusals of an operation, given the pointer of its responses. */
  return (responsesAt: string, operationId: string): Refuse => {
    const formFor = oncePerKey((status: number) => choose(responsesAt, operationId, status));
    return (problem) => {
      const { form, headers } = formFor(problem.status);
      return replyAs(form, problem, headers);
    };
  };
};

/** Compiles how a service refuses requests without a known operation, such as unknown paths or malformed requests. */
export const createRefusal = (document: unknown, errorBody?: ErrorBodyOf, warn: Warn = SILENT): Refuse => {
  const form = once(() => createGeneralForm(document, guard(errorBody, warn)));
  return (refused) => replyAs(form(), refused);
};
