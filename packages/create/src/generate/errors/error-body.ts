/** Writes src/error-body.ts once, from the errors that the contract declares. Then it belongs to its owner. */
import { join } from 'node:path';
import {
  createErrorFit,
  createErrorForms,
  createValidators,
  type DeclaredError,
  type ErrorBodyOf,
  schemaRef,
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
import { membersOf } from '@trellis/openapi/internal/schema';
import { createValues } from '@trellis/openapi/internal/values';
import ts from 'typescript';
import { quote } from '../../literal.ts';
import { compileBody, FAULTS, guessExpression } from './guess.ts';

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
  const { compile } = createValidators(document, 'reply');
  return oncePerKey((pointer: string) => compile({ properties: { body: schemaRef(pointer) } }));
};

/** A schema of errors. */
interface ErrorSchema {
  readonly pointer: string;
  readonly statuses: Set<number>;
  /** How many times it is declared. */
  uses: number;
  /** Whether a body of the service fits it everywhere. */
  isServed: boolean;
}

const schemasIn = (document: unknown, forms: ReturnType<typeof createErrorForms>): ErrorSchema[] => {
  const schemas = new Map<string, ErrorSchema>();
  for (const declared of declaredErrors(document)) {
    const contentAt = declared.responseAt + pointerTo('content');
    const name = Object.keys(valueAt(document, contentAt) ?? {}).find((each) => mediaKindOf(each) === 'json');
    const pointer = followRefs(document, contentAt + pointerTo(name ?? '', 'schema'));
    if (!isTree(valueAt(document, pointer))) continue;
    const schema = getOrInsert(schemas, pointer, () => ({
      pointer,
      statuses: new Set(),
      uses: 0,
      isServed: true,
    }));
    schema.statuses.add(declared.status);
    schema.uses += 1;
    schema.isServed &&= forms(declared) !== undefined;
  }
  return [...schemas.values()].sort((one, other) => other.uses - one.uses);
};

const NOTHING = 'undefined';

/** Guesses the expressions of error bodies: the most used one, and those of schemas that it does not fit. */
const guessAll = (document: unknown) => {
  const validatorAt = createErrorValidators(document);
  const fits = createErrorFit(validatorAt);
  const makeValue = createValues(document);
  const fitsAll = (body: ErrorBodyOf, { pointer, statuses }: ErrorSchema): boolean =>
    [...statuses].every((status) => fits(body, status, pointer));
  const guess = oncePerKey((schema: ErrorSchema): string => {
    const made = schema.isServed ? undefined : makeValue(schema.pointer);
    if (made === undefined) return NOTHING;
    return guessExpression(fromDocument(made).value, (body) => fitsAll(body, schema)) ?? NOTHING;
  });
  /** Whether a body fits a schema, and has no members but those that the schema declares. */
  const isRight = (expression: string, schema: ErrorSchema): boolean => {
    if (expression === NOTHING) return schema.isServed;
    const members = membersOf(document, schema.pointer);
    const body = compileBody(expression);
    return fitsAll((refusal) => {
      const value = body(refusal);
      return Object.keys(Object(value)).every((name) => members.includes(name)) ? value : undefined;
    }, schema);
  };
  const schemas = schemasIn(
    document,
    createErrorForms(document, validatorAt, () => undefined),
  );
  const guessed = schemas[0]?.isServed ? NOTHING : schemas.map(guess).find((each) => each !== NOTHING);
  const usual = guessed ?? NOTHING;
  const cases = new Map<string, string[]>();
  for (const schema of schemas)
    if (!isRight(usual, schema)) getOrInsert(cases, guess(schema), () => []).push(schema.pointer);
  cases.delete(usual);
  return { usual, cases };
};

/** The statements of `errorBody`. */
const renderStatements = (usual: string, cases: ReadonlyMap<string, readonly string[]>): string => {
  const branches = [...cases].map(
    ([expression, pointers]) =>
      `${pointers.map((pointer) => `case ${quote(pointer)}:\n`).join('')}return ${expression};\n`,
  );
  const isListed = [usual, ...cases.keys()].some((each) => /\bfaults\b/.test(each));
  const choice = `switch (refusal.schema) {\n${branches.join('')}default:\nreturn ${usual};\n}`;
  return `${isListed ? FAULTS : ''}\n${cases.size === 0 ? `return ${usual};` : choice}`;
};

/** Formats a program, with two spaces for each level. */
const format = (text: string): string =>
  ts
    .createPrinter()
    .printFile(ts.createSourceFile(ERROR_BODY, text, ts.ScriptTarget.Latest))
    .replaceAll(/^ +(?! ?\*)/gm, (indent) => indent.slice(indent.length / 2));

/** The text of src/error-body.ts. */
export const renderErrorBody = (document: unknown): string => {
  const { usual, cases } = guessAll(document);
  const parameter = usual === NOTHING && cases.size === 0 ? '_refusal' : 'refusal';
  return format(`import type { Refusal } from '@trellis/server';
/**
 * Makes the body of error replies. This is a guess from the schemas of the contract, written once: change it as you like.
 * \`undefined\` leaves the body to the service: problem details (RFC 9457) where the contract declares them, or else
 * \`{ error, message }\`.
 */
export const errorBody = (${parameter}: Refusal): unknown => {${renderStatements(usual, cases)}};
`);
};
