import { getOrInsert, isTree, MOST_COUNTED } from '@trellis/openapi/json';
import { _, type CodeKeywordDefinition, type FuncKeywordDefinition, nil, type ValidateFunction } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { takeErrors } from './describe-errors.ts';
import type { Outcome, ValidationContext } from './validation-context.ts';

/** The keyword of a reference to a schema that is compiled for itself. */
const CALL = 'x-call';

/** The keyword of a reference to a short schema, which is compiled in place: that takes longer and runs faster. */
const INLINE = 'x-inline';

/** The keyword of a schema with `unevaluatedProperties` or `unevaluatedItems`. It holds the pointer of the schema. */
export const UNEVALUATED = 'x-unevaluated';

/** A schema that refers to the one at a pointer of the document. */
export const schemaRef = (pointer: string): object => ({ [CALL]: pointer });

/** The same for a schema that may be short. `target` is that schema, as the document has it. */
export const referTo = (pointer: string, target: unknown): object =>
  isShort(target) ? { [INLINE]: pointer } : schemaRef(pointer);

/** How many members a short schema has at most, those of its members included. */
const SHORT = 30;

/** What cannot be compiled in place. */
const NOT_SHORT = new Set(['$ref', 'unevaluatedProperties', 'unevaluatedItems']);

/** Counts the members of a value, up to a limit. */
const countMembers = (value: unknown, limit: number): number => {
  let count = 0;
  if (isTree(value))
    for (const key of Object.keys(value)) {
      if (NOT_SHORT.has(key) || count > limit) return limit + 1;
      count += 1 + countMembers(value[key], limit - count);
    }
  return count;
};

const isShort = (schema: unknown): boolean => countMembers(schema, SHORT) <= SHORT;

/** A schema that others refer to. */
interface Target {
  /** `undefined` while it is being compiled. */
  validate: ValidateFunction | undefined;
  /** Whether it validates each list and object once: it refers to itself, directly or by others, or asks twice. */
  isRemembered: boolean;
}

/** Where a value stands, as Ajv says it. */
export type Place = Parameters<ValidateFunction>[1];

/** Validates a value by another schema. */
export type Judge = (context: ValidationContext, value: unknown, at: Place) => Outcome;

/** The errors of a keyword that passes on those of other schemas: its function leaves them in the context. */
export const PASSED_ON = { message: 'is refused', params: _`{ errors: this.refused }` };

/**
 * The references of an Ajv. `find` gives what stands at a pointer. Each target is compiled once, however many refer to it.
 *
 * An Ajv that stops at the first violation passes on one error only, and validates each list and object once by a
 * recursive schema, and remembers the outcome. Without that, two branches that both lead further down double the work
 * with every level.
 */
export const createReferences = (ajv: Ajv2020, find: (pointer: string) => unknown, verdictOnly: boolean) => {
  const targets = new Map<string, Target>();

  const schemaAt = (pointer: string) => {
    const schema = find(pointer);
    if (!isTree(schema) && typeof schema !== 'boolean')
      throw new Error(`can't resolve reference #${pointer}`);
    return schema;
  };

  const targetAt = (pointer: string): Target => {
    const known = targets.get(pointer);
    if (known) {
      known.isRemembered ||= known.validate === undefined; // it refers to itself
      return known;
    }
    const schema = schemaAt(pointer);
    const isRemembered = isTree(schema) && UNEVALUATED in schema; // branches are asked again what they evaluate
    const target: Target = { validate: undefined, isRemembered };
    targets.set(pointer, target);
    try {
      target.validate = ajv.compile(schema);
    } finally {
      if (!target.validate) targets.delete(pointer);
    }
    return target;
  };

  const judge = (target: Target, ...[context, value, at]: Parameters<Judge>): Outcome => {
    if (target.validate?.call(context, value, at)) return null;
    const errors = target.validate ? takeErrors(target.validate) : [];
    return verdictOnly ? errors.slice(-1) : errors.slice(0, MOST_COUNTED + 1);
  };

  const judgeBy = (pointer: string): Judge => {
    const target = targetAt(pointer);
    return (context, value, at) => {
      if (!verdictOnly || !target.isRemembered || !isTree(value)) return judge(target, context, value, at);
      context.outcomes ??= new Map();
      const known = getOrInsert(context.outcomes, target, () => new Map<unknown, Outcome>());
      return getOrInsert(known, value, () => judge(target, context, value, at));
    };
  };

  const call: FuncKeywordDefinition = {
    keyword: CALL,
    schemaType: 'string',
    before: 'type',
    errors: false,
    error: PASSED_ON,
    compile: (pointer: string) => {
      const judgeValue = judgeBy(pointer);
      return function (this: ValidationContext, value: unknown, at: Place): boolean {
        const errors = judgeValue(this, value, at);
        if (errors) this.refused = errors;
        return errors === null;
      };
    },
  };

  const inline: CodeKeywordDefinition = {
    keyword: INLINE,
    schemaType: 'string',
    before: 'type',
    code(cxt) {
      const schema = schemaAt(cxt.schema);
      const valid = cxt.gen.name('valid');
      const topSchemaRef = cxt.gen.scopeValue('schema', { ref: schema });
      cxt.subschema(
        { schema, dataTypes: [], schemaPath: nil, topSchemaRef, errSchemaPath: cxt.schema },
        valid,
      );
      cxt.ok(valid);
    },
  };

  return { keywords: [call, inline], judgeBy };
};
