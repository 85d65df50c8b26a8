/** Writes src/error-body.ts once, from the errors that the contract declares. Then it belongs to its owner. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  createErrorFit,
  createErrorForms,
  createValidators,
  type DeclaredError,
  type ErrorBodyOf,
  type Validate,
} from '@trellis/contract/internal';
import { allOperations } from '@trellis/openapi/internal/document';
import { mediaKindOf } from '@trellis/openapi/internal/http';
import {
  followRefs,
  fromDocument,
  getOrInsert,
  isTree,
  oncePerKey,
  pointerTo,
  valueAt,
} from '@trellis/openapi/internal/json';
import { createValues } from '@trellis/openapi/internal/values';
import { literalOf, quote } from '../../literal.ts';
import { errorBodyOf, FAULTS, guessBody } from './guess.ts';

/** The file of a project with its error bodies. */
export const ERROR_BODY = join('src', 'error-body.ts');

/** The statuses that are tried for a range, and for the default. */
const STATUSES: Readonly<Record<string, readonly number[]>> = {
  '4XX': [400, 404],
  '5XX': [500],
  default: [400, 500],
};

/**
 * The errors that operations declare, each with a status that it is sent with. A default beside no success describes
 * successes.
 */
export const declaredErrors = (document: unknown): DeclaredError[] =>
  allOperations(document).flatMap(({ id: operationId, itemAt, method, operation }) => {
    const responsesAt = followRefs(document, itemAt + pointerTo(method, 'responses'));
    const keys = Object.keys(operation.responses ?? {});
    const hasSuccess = keys.some((key) => /^[23]/.test(key));
    const errors = keys.filter((key) => key !== 'default' || hasSuccess);
    return errors.flatMap((key) => {
      const responseAt = followRefs(document, responsesAt + pointerTo(key));
      const statuses = STATUSES[key.toUpperCase()] ?? STATUSES[key] ?? [Number(key)];
      return statuses
        .filter((status) => status >= 400)
        .map((status) => ({ responseAt, status, operationId }));
    });
  });

/** Compiles validators of error bodies, each schema once. */
export const createErrorValidators = (document: unknown): ((pointer: string) => Validate) => {
  const { validatorAt } = createValidators(document, 'reply');
  return oncePerKey((pointer: string) => validatorAt(pointer));
};

const NOTHING = 'undefined';

/** The statuses that the schemas of errors are declared for, each with whether the service itself has a body that fits. */
const errorSchemas = (document: unknown, forms: ReturnType<typeof createErrorForms>) => {
  const schemas = new Map<string, { readonly statuses: Set<number>; isServed: boolean }>();
  for (const declared of declaredErrors(document)) {
    const contentAt = declared.responseAt + pointerTo('content');
    const name = Object.keys(valueAt(document, contentAt) ?? {}).find((each) => mediaKindOf(each) === 'json');
    const pointer = followRefs(document, contentAt + pointerTo(name ?? '', 'schema'));
    if (!isTree(valueAt(document, pointer))) continue;
    const schema = getOrInsert(schemas, pointer, () => ({ statuses: new Set<number>(), isServed: true }));
    schema.statuses.add(declared.status);
    schema.isServed &&= forms(declared) !== undefined;
  }
  return schemas;
};

/** A guessed body, its text, and the pointers of its schemas. */
interface Guess {
  readonly body: unknown;
  readonly text: string;
  readonly pointers: string[];
}

/** Guesses error bodies; the most frequent one first. */
const guessAll = (document: unknown): Guess[] => {
  const validatorAt = createErrorValidators(document);
  const fits = createErrorFit(validatorAt);
  const makeValue = createValues(document);
  const guessed = new Map<string, Guess>();
  const forms = createErrorForms(document, validatorAt, () => undefined);
  for (const [pointer, { statuses, isServed }] of errorSchemas(document, forms)) {
    const made = isServed ? undefined : makeValue(pointer);
    const fitsAll = (body: ErrorBodyOf) => [...statuses].every((status) => fits(body, status, pointer));
    const body = made === undefined ? undefined : guessBody(fromDocument(made).value, fitsAll);
    const text = body === undefined ? NOTHING : literalOf(body, '      ');
    getOrInsert(guessed, text, () => ({ body, text, pointers: [] })).pointers.push(pointer);
  }
  return [...guessed.values()].sort((one, other) => other.pointers.length - one.pointers.length);
};

const NO_GUESS: Guess = { body: undefined, text: NOTHING, pointers: [] };

/** Writes the text of src/error-body.ts, beside the function that it has. */
export const renderErrorBody = (
  document: unknown,
): { readonly text: string; readonly errorBody: ErrorBodyOf } => {
  const [usual = NO_GUESS, ...others] = guessAll(document);
  const cases = others.map(
    ({ text, pointers }) =>
      `${pointers.map((pointer) => `    case ${quote(pointer)}:\n`).join('')}      return ${text};\n`,
  );
  const isConstant = usual.text === NOTHING && others.length === 0;
  const faults = [usual.text, ...cases].some((each) => /\bfaults\b/.test(each)) ? `  ${FAULTS}\n` : '';
  const choice = `  switch (refusal.schema) {\n${cases.join('')}    default:\n      return ${usual.text};\n  }\n`;
  const text = `import type { Refusal } from '@trellis/server';

/**
 * Makes the body of error replies. This is a guess from the schemas of the contract, written once: change it as you like.
 * \`undefined\` leaves the body to the service: problem details (RFC 9457) where the contract declares them, or else
 * \`{ error, message }\`.
 */
export const errorBody = (${isConstant ? '_refusal' : 'refusal'}: Refusal): unknown => {
${faults}${cases.length === 0 ? `  return ${usual.text};\n` : choice}};
`;
  const errorBody: ErrorBodyOf = (refusal) => {
    const guess = others.find(({ pointers }) => pointers.includes(refusal.schema ?? '')) ?? usual;
    return errorBodyOf(guess.body)(refusal);
  };
  return { text, errorBody };
};

/** The src/error-body.ts to write if the project has no such file. */
export const missingErrorBody = (document: unknown): ReturnType<typeof renderErrorBody> | undefined =>
  existsSync(ERROR_BODY) ? undefined : renderErrorBody(document);
