export { withPointers } from '../document/anchors.ts';
export type { Location } from '../document/bundle/location.ts';
export type { Document } from '../document/document.ts';
export { withAdditional, withoutAdditional } from '../document/methods.ts';
export type { Note } from '../document/note.ts';
export { type OutgoingOperation, outgoingOperations } from '../document/outgoing.ts';
export {
  allOperations,
  allResponses,
  headerNamesOf,
  operationIdOf,
  operationsIn,
  type PlacedOperation,
  parameterNamesIn,
  parametersAt,
  serverPathOf,
  urlPath,
} from '../document/path-item.ts';
export { rewriteSchemaAt, rewriteSchemas } from '../document/rewrite.ts';
export {
  asksForCredentials,
  needsCredentials,
  type Requirements,
  type SecurityScheme,
  schemeAt,
} from '../document/security-scheme.ts';
export { dumpExact } from '../document/yaml.ts';
export type { ReadText } from '../files/load.ts';
