import { followRefs, once, oncePerKey, pointerTo, valueAt } from '@trellis/openapi/internal/json';
import { createValues } from '@trellis/openapi/internal/values';
import { createDeclaredHeaders } from '../declared-headers.ts';
import { keyFor } from '../reply.ts';
import type { ReplyRules } from '../streams.ts';
import { createDeclaredForms } from './declared-forms.ts';
import { createGeneralForm, type ErrorBodyOf, type Refuse, replyAs } from './form.ts';

/** How refusals are written and validated. */
export interface RefusalRules extends Pick<ReplyRules, 'validatorAt'> {
  /** The owner's own error bodies, used wherever they fit. */
  readonly errorBody?: ErrorBodyOf | undefined;
}

/**
 * Compiles how operations refuse requests. The response that an operation declares for the status determines the media
 * type and the shape. The form is chosen when a response is first needed, by validating samples, so that a refusal
 * costs no validation. If nothing is declared, or no declared body fits, the general form of the service is used.
 */
export const createRefusals = (document: unknown, { validatorAt, errorBody }: RefusalRules) => {
  const general = once(() => createGeneralForm(document, errorBody));
  const formAt = once(() => createDeclaredForms(document, validatorAt, general()));
  const makeValue = createValues(document);
  /** Examples of the headers that a response requires. */
  const headersAt = createDeclaredHeaders(
    document,
    ([given], schemaAt) => given ?? (schemaAt && makeValue(schemaAt)),
    true,
  );

  /**
   * Returns `undefined` for schemas that cannot be compiled, or have no example: `generate` reports them, and the reply
   * must still be sent.
   */
  const attempt = <T>(find: () => T): T | undefined => {
    try {
      return find();
    } catch {
      return undefined;
    }
  };

  /** Operations share responses, so forms are kept by response and status. */
  const chosen = oncePerKey((responseAt: string) =>
    oncePerKey((status: number) => ({
      form: attempt(() => formAt()(responseAt, status)),
      headers: attempt(() => headersAt(responseAt)) ?? {},
    })),
  );

  const choose = (responsesAt: string, status: number) => {
    const key = keyFor(valueAt(document, responsesAt), status);
    if (key === undefined) return { form: general(), headers: {} };
    const { form = general(), headers } = chosen(followRefs(document, responsesAt + pointerTo(key)))(status);
    return { form, headers };
  };

  /** Compiles the refusals of an operation, given the pointer of its responses. */
  return (responsesAt: string): Refuse => {
    const formFor = oncePerKey((status: number) => choose(responsesAt, status));
    return (problem) => {
      const { form, headers } = formFor(problem.status);
      return replyAs(form, problem, headers);
    };
  };
};

/** Compiles how a service refuses requests without a known operation, such as unknown paths or malformed requests. */
export const createRefusal = (document: unknown, errorBody?: ErrorBodyOf): Refuse => {
  const form = once(() => createGeneralForm(document, errorBody));
  return (refused) => replyAs(form(), refused);
};
