/** Marks the types of properties that only requests or only replies have, or that have a default. */
import { isTree, pointerTo } from '@trellis/openapi/internal/json';
import { defaultOf, isLeftOut, isPlain } from '@trellis/openapi/internal/schema';
import ts from 'typescript';

/** The marks of properties, as @trellis/openapi/types declares them. */
const MARKS = ['$Default', '$Read', '$Write'];

/** The import of the marks that the types use. */
export const importMarks = (types: string): string => {
  const used = MARKS.filter((mark) => types.includes(`${mark}<`));
  return used.length === 0 ? '' : `import type { ${used.join(', ')} } from "@trellis/openapi/types";\n`;
};

/**
 * Creates a function that marks the type of a property that is readOnly, is writeOnly or has a default. Most schemas
 * have these keywords themselves. Other schemas are put into one document, so that a shared schema is examined once.
 */
export const createMarker = (document: unknown) => {
  const probes: unknown[] = [];
  const probed = { ...(isTree(document) && document), probes };
  const usesOf = (schema: unknown) => {
    if (isPlain(schema))
      return {
        inRequests: schema.readOnly !== true,
        inReplies: schema.writeOnly !== true,
        hasDefault: schema.default !== undefined,
      };
    const at = pointerTo('probes', `${probes.push(schema) - 1}`);
    return {
      inRequests: !isLeftOut(probed, at, 'request'),
      inReplies: !isLeftOut(probed, at, 'reply'),
      hasDefault: defaultOf(probed, at, ['allOf']) !== undefined,
    };
  };
  return (property: ts.PropertySignature, schema: unknown) => {
    const { inRequests, inReplies, hasDefault } = usesOf(schema);
    const marks = [
      ...(inRequests && hasDefault ? ['$Default'] : []),
      ...(inRequests ? [] : ['$Read']),
      ...(inReplies ? [] : ['$Write']),
    ];
    const type = marks.reduce<ts.TypeNode | undefined>(
      (inner, mark) => inner && ts.factory.createTypeReferenceNode(mark, [inner]),
      property.type,
    );
    return ts.factory.updatePropertySignature(
      property,
      undefined,
      property.name,
      property.questionToken,
      type,
    );
  };
};
