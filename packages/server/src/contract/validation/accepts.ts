import { getOrInsert, isTree, once, oncePerKey } from '@trellis/openapi/json';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { schemaRef } from './ajv.ts';
import type { Accepts, AcceptsAt } from './branches.ts';
import { createValidationContext, type ValidationContext } from './validation-context.ts';

/** Compiles whether a schema of the document accepts a value, when it is first asked. */
export const createAccepts = (ajv: () => Ajv2020): AcceptsAt => {
  const compile = (pointer: string): Accepts => {
    const validate = ajv().compile(schemaRef(pointer));
    const isAccepted = (context: ValidationContext, value: unknown): boolean => {
      const accepted = validate.call(context, value);
      validate.errors = null;
      return accepted;
    };
    return (value, exact, context) => {
      if (!context || !isTree(value)) return isAccepted(createValidationContext(value, exact), value);
      context.accepted ??= new Map();
      const known = getOrInsert(context.accepted, isAccepted, () => new Map<unknown, boolean>());
      return getOrInsert(known, value, () => isAccepted(context, value));
    };
  };
  return oncePerKey((pointer) => {
    const accepts = once(() => compile(pointer));
    return (value, exact, context) => accepts()(value, exact, context);
  });
};
