/** Rewrites parameters as handlers receive them, for their types. */

import { rewriteSchemas } from '@trellis/openapi/document';
import { valueAt } from '@trellis/openapi/json';
import { isPlace, parameterDefault, parameterSchemaAt } from '@trellis/server/internal';

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
