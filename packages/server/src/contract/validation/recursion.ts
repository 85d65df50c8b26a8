import { getOrInsert, isTree } from '@trellis/openapi/json';
import { _, type ErrorObject, type KeywordCxt } from 'ajv';
import { compileSchema, resolveSchema, type SchemaEnv } from 'ajv/dist/compile/index.js';
import names from 'ajv/dist/compile/names.js';
import { resolveUrl } from 'ajv/dist/compile/resolve.js';
import type { Evaluated } from 'ajv/dist/types/index.js';
import { callRef, getValidate } from 'ajv/dist/vocabularies/core/ref.js';
import type { Outcome, ValidationContext } from './validation-context.ts';

/** Looks like a compiled schema: Ajv's own code calls it, then reads `errors` and `evaluated`. */
interface MemoizedValidate {
  (this: ValidationContext, value: unknown, at?: Parameters<NonNullable<SchemaEnv['validate']>>[1]): boolean;
  errors: Outcome['errors'];
  evaluated: Evaluated | undefined;
}

/** The error that explains best why a value is refused: the last one is about the whole value, but `if` is never the reason. */
export const mainErrorOf = (errors: readonly ErrorObject[]): ErrorObject[] => {
  const mainError = errors.findLast(({ keyword }) => keyword !== 'if') ?? errors.at(-1);
  return mainError ? [mainError] : [];
};

/** Each caller gets a copy, because Ajv adds to the evaluated members. */
const copyOf = (evaluated: Evaluated | undefined): Evaluated | undefined =>
  evaluated && (isTree(evaluated.props) ? { ...evaluated, props: { ...evaluated.props } } : { ...evaluated });

/**
 * Validates each list and object once by a recursive schema, and remembers the outcome. Without that, two branches that
 * both lead further down double the work with every level.
 */
const createMemoized = (env: SchemaEnv): MemoizedValidate => {
  const validateOnce: MemoizedValidate = function (value, at) {
    const { validate } = env;
    this.outcomes ??= new Map();
    const known = isTree(value)
      ? getOrInsert(this.outcomes, validateOnce, () => new Map<unknown, Outcome>())
      : undefined;
    let outcome = known?.get(value);
    if (!outcome) {
      const isAccepted = validate?.call(this, value, at) === true;
      const errors = isAccepted ? null : mainErrorOf(validate?.errors ?? []);
      if (validate) validate.errors = null;
      outcome = { errors, evaluated: copyOf(validate?.evaluated) };
      known?.set(value, outcome);
    }
    validateOnce.errors = outcome.errors;
    validateOnce.evaluated = copyOf(outcome.evaluated);
    return outcome.errors === null;
  };
  validateOnce.errors = null;
  validateOnce.evaluated = undefined;
  return validateOnce;
};

/** How many members a short schema has at most, those of its members included. */
const SHORT = 30;

/** Counts the members of a value, up to a limit. A reference counts as too many: it cannot be compiled in place. */
const countMembers = (value: unknown, limit: number): number => {
  let count = 0;
  if (isTree(value))
    for (const key of Object.keys(value)) {
      if (key === '$ref' || count > limit) return limit + 1;
      count += 1 + countMembers(value[key], limit - count);
    }
  return count;
};

/**
 * Compiles `$ref`, unless its target is short: Ajv compiles that in place, which takes longer and runs faster. The errors
 * of the target are passed on and not left with it, where they would keep the body of a request in memory until the next
 * one is refused.
 *
 * An Ajv that stops at the first violation passes on one error only, and validates each value once by a recursive schema.
 * Every recursion goes through a reference to a schema that is still being compiled.
 */
export const createReferences = (
  verdictOnly: boolean,
  inline: boolean,
): ((cxt: KeywordCxt, compile: (cxt: KeywordCxt) => void) => void) => {
  const memoized = new WeakMap<SchemaEnv, MemoizedValidate>();
  const compiled = new WeakMap<object, SchemaEnv>();

  /**
   * The compiled target of a reference; `undefined` if it is compiled in place, or if there is none. Ajv would compile a
   * target anew for every schema from outside the document that refers to it: large ones would be compiled several times.
   */
  const targetOf = ({ schema: ref, it }: KeywordCxt): SchemaEnv | undefined => {
    const { self, baseId, schemaEnv } = it;
    const target = resolveSchema.call(self, schemaEnv.root, resolveUrl(self.opts.uriResolver, baseId, ref));
    if (!target || !isTree(target.schema)) return undefined;
    if (inline && countMembers(target.schema, SHORT) <= SHORT) return undefined;
    return getOrInsert(compiled, target.schema, () => compileSchema.call(self, target));
  };

  const callableOf = (cxt: KeywordCxt, env: SchemaEnv) => {
    const isRecursive = env.validate === undefined || memoized.has(env);
    if (!verdictOnly || !isRecursive) return getValidate(cxt, env);
    return cxt.gen.scopeValue('validate', { ref: getOrInsert(memoized, env, createMemoized) });
  };

  return (cxt, compile) => {
    const { gen, schema } = cxt;
    const env = schema === '#' || schema === '#/' ? undefined : targetOf(cxt);
    if (!env) return compile(cxt);
    const validate = callableOf(cxt, env);
    const { vErrors, errors } = names.default;
    const addError = () => {
      const mainError = gen.const(
        'mainError',
        _`${gen.scopeValue('func', { ref: mainErrorOf })}(${validate}.errors)`,
      );
      gen.if(
        _`${vErrors} === null`,
        () => gen.assign(vErrors, mainError),
        () => gen.code(_`${vErrors}.push(...${mainError})`),
      );
      gen.assign(errors, _`${vErrors}.length`);
    };
    const result: KeywordCxt['result'] = (condition, onSuccess, onFailure) =>
      cxt.result(condition, onSuccess, () => {
        if (verdictOnly) addError();
        else onFailure?.();
        gen.assign(_`${validate}.errors`, null);
      });
    return callRef(Object.create(cxt, { result: { value: result } }), validate, env);
  };
};
