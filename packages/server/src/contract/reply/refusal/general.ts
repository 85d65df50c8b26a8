import { once, toJson } from '@trellis/openapi/json';
import { problem, type Refusal } from '../../problems/problem.ts';
import { type ErrorBodyOf, type Form, type Refuse, replyAs } from './form.ts';
import { PROBLEM_JSON, problemDetails, usesProblemJson } from './problem-details.ts';

/** The bodies of a service, for whatever its contract does not declare. */
export interface GeneralForm extends Form {
  readonly mediaType: string;
  /** The owner's body; `undefined` if there is none. */
  readonly ownersBody: ErrorBodyOf;
  /** Problem details if the contract has any, else `{ error, message }`. */
  readonly machineBody: (refusal: Refusal) => object;
}

const plainBody = ({ code, message }: Refusal): object => problem(code, message);

/** An owner's mistake must not keep the service from answering. */
const guarded =
  (errorBody: ErrorBodyOf): ErrorBodyOf =>
  (refusal) => {
    try {
      return errorBody(refusal);
    } catch {
      return undefined;
    }
  };

/** Finds the general form of a service. */
export const createGeneralForm = (
  document: unknown,
  errorBody: ErrorBodyOf = () => undefined,
): GeneralForm => {
  const ownersBody = guarded(errorBody);
  const isProblems = usesProblemJson(document);
  const machineBody = isProblems ? problemDetails : plainBody;
  return {
    ownersBody,
    machineBody,
    mediaType: isProblems ? PROBLEM_JSON : 'application/json',
    write: (refusal) => toJson(ownersBody(refusal) ?? machineBody(refusal)),
  };
};

/** Compiles how a service refuses requests that no operation is known for: of unknown paths, say, or malformed ones. */
export const createRefusal = (document: unknown, errorBody?: ErrorBodyOf): Refuse => {
  const form = once(() => createGeneralForm(document, errorBody));
  return (refused) => replyAs(form(), refused);
};
