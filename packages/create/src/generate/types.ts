/** Writes generated/openapi.ts. */
import { join } from 'node:path';
import { allOperations, needsCredentials } from '@trellis/openapi/internal/document';
import { isTree, ownMember } from '@trellis/openapi/internal/json';
import ts from 'typescript';
import { DO_NOT_EDIT, memberName, quote } from '../literal.ts';
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
  withSharedRequired,
  withWords,
} from './plain-document.ts';
import { withNamedBranches, withSubtypes } from './subtypes.ts';
import { createMarker, importMarks } from './types/marks.ts';
import { withoutRoundedConstants } from './types/nodes.ts';
import { toTypes } from './types/openapi-typescript.ts';

/** The file with the types of the contract. */
export const TYPES = join('generated', 'openapi.ts');

/** Rewrites a document, and leaves the given one unchanged. */
type Step = (document: unknown) => unknown;

/** Steps after which openapi-typescript gives schemas, and the parts of operations, the types that handlers need. */
const STEPS: readonly Step[] = [
  withoutExamples,
  withNamedBranches,
  withSubtypes,
  withReferencesApart,
  withPlainReferences,
  withCallbacks,
  withSharedRequired,
  withRequiredMembers,
  withoutCircles,
  withReceivedParameters,
  markBytes,
  withoutRoundedConstants,
  withPlainParts,
  withPlainMethods,
  withWords,
];

/**
 * openapi-typescript takes required members from a type by its keys, and `Thing | null` has none: take them of each
 * part.
 */
const withRequiredOfUnions = (text: string): string =>
  text.replace(
    /^type WithRequired<[\s\S]*?^\};$/m,
    'type WithRequired<T, K extends PropertyKey> = T extends object ? T & Required<Pick<T, K & keyof T>> : T;',
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

/** The type `security`: the security schemes of each operation. */
const renderSecurity = (document: unknown): string => {
  const members = allOperations(document).map(({ id, operation }) => {
    const requirements: unknown = operation.security ?? ownMember(document, 'security');
    const names = [requirements].flat().flatMap((each) => Object.keys(isTree(each) ? each : {}));
    const schemes = [...new Set(names)].map(quote);
    return `    ${memberName(id)}: ${[...schemes, ...(needsCredentials(requirements) ? [] : ['undefined'])].join(' | ')};`;
  });
  return `/** The security schemes of each operation; \`undefined\` where it needs no credentials. */
export interface security {
${members.join('\n')}
}
`;
};

/** The text of generated/openapi.ts. */
export const renderTypes = async (contract: unknown): Promise<string> => {
  const document = STEPS.reduce((made, step) => step(made), contract);
  const text = withOwnMethods(await toTypes(document, createMarker(document)));
  const types = withoutAnyOperation(withRequiredOfUnions(text)) + renderSecurity(contract);
  checkTypes(types);
  return `${DO_NOT_EDIT}${importMarks(types)}\n${types}`;
};
