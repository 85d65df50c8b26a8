/** Writes generated/openapi.ts. */
import { join } from 'node:path';
import { withoutBigints } from '@trellis/openapi/internal/json';
import { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { DO_NOT_EDIT } from '../literal.ts';
import { withoutCircles } from './checks/endless-schemas.ts';
import { markBytes } from './mark-bytes.ts';
import {
  withCallbacks,
  withOwnMethods,
  withoutExamples,
  withPlainMethods,
  withPlainParts,
  withPlainReferences,
  withReceivedParameters,
  withReferencesApart,
  withRequiredMembers,
} from './plain-document.ts';
import { withNamedBranches, withSubtypes } from './subtypes.ts';
import { createMarker, importMarks } from './types/marks.ts';
import { copyMasked, unmask } from './types/masks.ts';
import { withoutRoundedConstants } from './types/nodes.ts';
import { toTypes } from './types/openapi-typescript.ts';
import { renderSecurity } from './types/security.ts';
import { withWords } from './words.ts';

/** The file with the types of the contract. */
export const TYPES = join('generated', 'openapi.ts');

/** Rewrites a document, and leaves the given one unchanged. */
type Step = (document: unknown) => unknown;

/** Steps that rewrite schemas and references so that openapi-typescript gives them the right types. */
const REWRITE: readonly Step[] = [
  withoutExamples,
  withNamedBranches,
  withSubtypes,
  withReferencesApart,
  withPlainReferences,
  withCallbacks,
  withRequiredMembers,
  withoutCircles,
];

/** Steps that rewrite the parts of operations: their parameters, bodies, methods and comments. */
const DESCRIBE: readonly Step[] = [
  withReceivedParameters,
  markBytes,
  withoutRoundedConstants,
  withPlainParts,
  withPlainMethods,
  withWords,
];

const applyAll = (steps: readonly Step[], document: unknown): unknown =>
  steps.reduce((made, step) => step(made), document);

/**
 * openapi-typescript takes required members from a type by its keys, and `Thing | null` has none: take them of each
 * part.
 */
const withRequiredOfUnions = (text: string): string =>
  text.replace(
    /^type WithRequired<[\s\S]*?^\};$/m,
    `type WithRequired<T, K extends PropertyKey> = T extends object ? T & {
    [P in K & keyof T]-?: T[P];
} : T;`,
  );

/** Checks that the generated text holds only types, so that no name in a contract can become code that runs. */
const checkTypes = (text: string): void => {
  const { statements } = ts.createSourceFile(TYPES, text, ts.ScriptTarget.Latest);
  if (!statements.every((each) => ts.isTypeAliasDeclaration(each) || ts.isInterfaceDeclaration(each)))
    throw new Error('its names make other code than types; write references to components only');
};

/** A contract without operations has no operationId at all, instead of any string. */
const withoutAnyOperation = (text: string): string =>
  text.replace(/^(export type (?:operations|webhooks) =) Record<string, never>;$/gm, '$1 {};');

/** The text of generated/openapi.ts. */
export const renderTypes = async (contract: unknown): Promise<string> => {
  const document = applyAll(REWRITE, contract);
  const described = withoutBigints(applyAll(DESCRIBE, document));
  const nodes = await toTypes(copyMasked(described), createMarker(document));
  const text = withOwnMethods(unmask(astToString(nodes)));
  const types = withoutAnyOperation(withRequiredOfUnions(text)) + renderSecurity(contract);
  checkTypes(types);
  return `${DO_NOT_EDIT}${importMarks(types)}\n${types}`;
};
