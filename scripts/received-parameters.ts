/** Makes parameters what they are to a handler, in a copy of the contract: their types are generated from that. */
import { isPlace } from '../src/contract/parameters.ts';
import { ownMember, pointerTo } from '../src/contract/pointer.ts';
import { rewriteSchemas } from '../src/contract/schema-rewrite.ts';
import { defaultOf } from '../src/contract/schema-shape.ts';

/**
 * A copy of a document in which a parameter that is sent as JSON has its schema as any other, and one that has a default
 * is required: a handler always gets it.
 */
export const withReceivedParameters = (document: unknown): unknown =>
  rewriteSchemas(document, (copy, pointer) => {
    if (!/\/parameters\/[^/]+$/.test(pointer) || !isPlace(copy.in)) return copy;
    const [mediaType] = Object.keys(copy.content ?? {});
    const steps = mediaType === undefined ? ['schema'] : ['content', mediaType, 'schema'];
    const schema = steps.reduce<unknown>(ownMember, copy);
    const hasDefault = copy.in !== 'path' && defaultOf(document, pointer + pointerTo(...steps)) !== undefined;
    return { ...copy, content: undefined, schema, required: hasDefault || copy.required };
  });
