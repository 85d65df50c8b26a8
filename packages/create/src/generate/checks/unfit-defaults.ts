/** Finds the defaults that the service would not use, by compiling schemas as it does. */

import { rewriteSchemas } from '@trellis/openapi/document';
import type { Violation } from '@trellis/openapi/json';
import {
  fromDocument,
  getOrInsert,
  identityOf,
  listViolations,
  pointerTo,
  valueAt,
} from '@trellis/openapi/json';
import { createValidationContext, createValidators, schemaRef } from '@trellis/server/internal';
import type { Fault } from './complaints.ts';

/** A default that a request would break its schema with. */
interface UnfitDefault extends Fault {
  /** Whether it fits in replies, and may be meant for them. */
  readonly isMeant: boolean;
}

/** All schemas with a default. */
const defaultsIn = (document: unknown): { schema: Record<string, unknown>; schemaAt: string }[] => {
  const found: { schema: Record<string, unknown>; schemaAt: string }[] = [];
  rewriteSchemas(document, (schema, schemaAt, _home, isSchema) => {
    if (isSchema && schema.default !== undefined) found.push({ schema, schemaAt });
    return schema;
  });
  return found;
};

/** A text that is the same for schemas that accept the same values and have the same default. */
const meaningOf = ({
  title: _title,
  description: _description,
  ...schema
}: Record<string, unknown>): string => {
  const { value, exact } = fromDocument(schema);
  return identityOf(value, exact) ?? '';
};

/**
 * The defaults that their schemas do not accept: the service does not use them. Many schemas are the same but for their
 * descriptions: one of them is compiled.
 */
export const findUnfitDefaults = (document: unknown): UnfitDefault[] => {
  const requests = createValidators(document, 'request');
  const replies = createValidators(document, 'reply');

  /** Why the default of a schema does not fit; `undefined` if it does. */
  const checkDefault = (schemaAt: string): Omit<UnfitDefault, 'pointer'> | undefined => {
    const { value, exact } = fromDocument(valueAt(document, schemaAt + pointerTo('default')));
    const violationsIn = ({ compile }: typeof requests): readonly Violation[] => {
      const validate = compile({ properties: { default: schemaRef(schemaAt) } });
      return validate(createValidationContext({ default: value }, { default: exact }));
    };
    try {
      const violations = violationsIn(requests);
      if (violations.length === 0) return undefined;
      const message = `${listViolations(violations)}, so it is not used; correct it, or its schema`;
      return { message, isMeant: violationsIn(replies).length === 0 };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const reason = 'its schema never comes to an end; write out what is meant';
      return { message: `default cannot be checked, so it is not used: ${reason}`, isMeant: false };
    }
  };

  const checked = new Map<string, { readonly unfit: ReturnType<typeof checkDefault> }>();
  return defaultsIn(document).flatMap(({ schema, schemaAt }) => {
    const { unfit } = getOrInsert(checked, meaningOf(schema), () => ({ unfit: checkDefault(schemaAt) }));
    return unfit ? [{ pointer: schemaAt + pointerTo('default'), ...unfit }] : [];
  });
};
