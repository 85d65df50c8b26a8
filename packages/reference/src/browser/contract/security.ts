import { type SecurityScheme, schemeAt } from '@trellis/openapi/document';
import { followRefs, isTree, ownMember, pointerTo, valueAt } from '@trellis/openapi/json';
import { textAt } from './outline.ts';

/** A security scheme by its name. */
export interface NamedScheme extends SecurityScheme {
  readonly name: string;
  readonly description: string;
}

/** Schemes that must all be satisfied, with the scopes that each needs. */
export type Alternative = readonly { readonly scheme: NamedScheme; readonly scopes: readonly string[] }[];

const named = (document: unknown, name: string): NamedScheme[] => {
  const scheme = schemeAt(document, name);
  const description = textAt(
    valueAt(document, followRefs(document, pointerTo('components', 'securitySchemes', name))),
    'description',
  );
  return scheme ? [{ ...scheme, name, description }] : [];
};

/** All security schemes of a document. */
export const schemesOf = (document: unknown): NamedScheme[] =>
  Object.keys(valueAt(document, '/components/securitySchemes') ?? {}).flatMap((name) =>
    named(document, name),
  );

/** What an operation asks for: one of these alternatives. An empty one lets everybody in. */
export const alternativesOf = (document: unknown, operation: unknown): Alternative[] => {
  const security = ownMember(operation, 'security') ?? ownMember(document, 'security');
  if (!Array.isArray(security)) return [];
  return security.filter(isTree).map((requirement) =>
    Object.entries(requirement).flatMap(([name, scopes]) =>
      named(document, name).map((scheme) => ({
        scheme,
        scopes: Array.isArray(scopes) ? scopes.map(String) : [],
      })),
    ),
  );
};
