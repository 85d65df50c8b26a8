/** Marks the types of properties that only requests or only replies have, or that have a default. */
import { isTree, pointerTo } from '@trellis/openapi/internal/json';
import { defaultOf, isLeftOut } from '@trellis/openapi/internal/schema';
import ts from 'typescript';

/** The marks of properties, as @trellis/openapi/types declares them. */
const MARKS = ['$Default', '$Read', '$Write'];

/** The import of the marks that the types use. */
export const importMarks = (types: string): string => {
  const used = MARKS.filter((mark) => types.includes(`${mark}<`));
  return used.length === 0 ? '' : `import type { ${used.join(', ')} } from "@trellis/openapi/types";\n`;
};

/**
 * Creates a function that marks the type of a property that is readOnly, is writeOnly or has a default. The schemas of
 * properties are put into one document, so that a shared schema is examined once.
 */
export const createMarker = (document: unknown) => {
  const probes: unknown[] = [];
  const probed = { ...(isTree(document) && document), probes };
  return (property: ts.PropertySignature, schema: unknown) => {
    const at = pointerTo('probes', `${probes.push(schema) - 1}`);
    const isSent = !isLeftOut(probed, at, 'request');
    const hasDefault = isSent && defaultOf(probed, at, ['allOf']) !== undefined;
    let { type } = property;
    const mark = (name: string): void => {
      type = type && ts.factory.createTypeReferenceNode(name, [type]);
    };
    if (hasDefault) mark('$Default');
    if (!isSent) mark('$Read');
    if (isLeftOut(probed, at, 'reply')) mark('$Write');
    const { name, questionToken } = property;
    return ts.factory.updatePropertySignature(property, undefined, name, questionToken, type);
  };
};
