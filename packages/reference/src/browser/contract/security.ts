import { type SecurityScheme, schemeAt } from '@trellis/openapi/internal/document';
import { followRefs, isTree, ownMember, pointerTo, valueAt } from '@trellis/openapi/internal/json';
import { textAt } from './outline.ts';

/** A security scheme by its name. */
export interface NamedScheme extends SecurityScheme {
  readonly name: string;
  readonly description: string;
  readonly isDeprecated: boolean;
  /** The URLs that issue tokens, by their names in OpenAPI. */
  readonly addresses: readonly (readonly [name: string, url: string])[];
}

/** Schemes that must all be satisfied, with the scopes that each needs. */
export type Alternative = readonly { readonly scheme: NamedScheme; readonly scopes: readonly string[] }[];

/** The addresses that a scheme has, and its flows. */
const addressesIn = (declared: unknown): [name: string, url: string][] => {
  const all = [declared, ...Object.values(ownMember(declared, 'flows') ?? {})].flatMap((holder) =>
    Object.entries(holder ?? {}).flatMap(([name, url]): [string, string][] =>
      /Url$/.test(name) && typeof url === 'string' ? [[name, url]] : [],
    ),
  );
  return [...new Map(all.map((each) => [each.join(' '), each])).values()]; // flows may share one
};

const named = (document: unknown, name: string): NamedScheme[] => {
  const scheme = schemeAt(document, name);
  const declared = valueAt(document, followRefs(document, pointerTo('components', 'securitySchemes', name)));
  const isDeprecated = ownMember(declared, 'deprecated') === true;
  const described = { description: textAt(declared, 'description'), addresses: addressesIn(declared) };
  return scheme ? [{ ...scheme, ...described, name, isDeprecated }] : [];
};

/** All security schemes of a document. */
export const schemesOf = (document: unknown): NamedScheme[] =>
  Object.keys(valueAt(document, '/components/securitySchemes') ?? {}).flatMap((name) =>
    named(document, name),
  );

/** The security alternatives of an operation. An empty alternative needs no credentials. */
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
