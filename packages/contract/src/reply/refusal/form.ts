import { toJson } from '@trellis/openapi/internal/json';
import { type Problem, problem, type Refusal } from '../../problems/problem.ts';
import type { WireReply } from '../replies.ts';
import { PROBLEM_JSON, problemDetails, usesProblemJson } from './problem-details.ts';

/** Makes the reply that refuses a request. It never throws. */
export type Refuse = (problem: Problem) => WireReply;

/** Makes the body of an error reply; `undefined` leaves it to the contract. */
export type ErrorBodyOf = (refusal: Refusal) => unknown;

/** How refusals are written. */
export interface Form {
  /** The `Content-Type`; `undefined` without a body. */
  readonly mediaType: string | undefined;
  readonly write: (refusal: Refusal) => string;
}

/** The bodies of a service, for whatever its contract does not declare. */
export interface GeneralForm extends Form {
  readonly mediaType: string;
  /** Returns the body from the option `errorBody`; `undefined` to use another body. */
  readonly ownersBody: ErrorBodyOf;
  /** Problem details if the contract has any, else `{ error, message }`. */
  readonly defaultBody: (refusal: Refusal) => object;
}

/** Finds the general form of a service. */
export const createGeneralForm = (
  document: unknown,
  errorBody: ErrorBodyOf = () => undefined,
): GeneralForm => {
  /** Ignores errors of the owner's function: the service must still reply. */
  const ownersBody: ErrorBodyOf = (refusal) => {
    try {
      return errorBody(refusal);
    } catch {
      return undefined;
    }
  };
  const isProblems = usesProblemJson(document);
  const defaultBody = isProblems
    ? problemDetails
    : ({ code, message }: Refusal): object => problem(code, message);
  return {
    ownersBody,
    defaultBody,
    mediaType: isProblems ? PROBLEM_JSON : 'application/json',
    write: (refusal) => toJson(ownersBody(refusal) ?? defaultBody(refusal)),
  };
};

type Headers = Readonly<Record<string, string>>;

/** Those headers that a problem does not have, whatever the case of their names. */
const without = (headers: Headers, { headers: others }: Problem): Headers => {
  const given = new Set(Object.keys(others).map((name) => name.toLowerCase()));
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !given.has(name.toLowerCase())));
};

/** Writes a problem as a reply, with more headers unless the problem has them. */
export const replyAs = ({ mediaType, write }: Form, problem: Problem, headers: Headers = {}): WireReply => {
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
