/** Rewrites parameters as handlers receive them, for their types. */

import { rewriteSchemas } from '../../src/contract/document/rewrite.ts';
import { valueAt } from '../../src/contract/json/pointer.ts';
import { parameterDefault, parameterSchemaAt } from '../../src/contract/parameters/parameters.ts';
import { isPlace } from '../../src/contract/parameters/places.ts';

/**
 * A copy of a document in which a parameter sent as JSON has a plain schema, and a parameter with a default is required,
 * since a handler always gets it.
 */
export const withReceivedParameters = (document: unknown): unknown =>
  rewriteSchemas(document, (copy, pointer) => {
    if (!/\/parameters\/[^/]+$/.test(pointer) || !isPlace(copy.in)) return copy;
    const schemaAt = parameterSchemaAt(document, pointer);
    const hasDefault = parameterDefault(document, copy.in, schemaAt) !== undefined;
    const schema = valueAt(document, schemaAt);
    return { ...copy, content: undefined, schema, required: hasDefault || copy.required };
  });
