/** Describes which credentials an operation asks for. */
import { schemeAt } from '@trellis/openapi/document';
import { ownMember } from '@trellis/openapi/json';

/** A certificate is not sent in a request. */
const describeScheme = (document: unknown, name: string): object => {
  const { kind, type, place, parameter } = schemeAt(document, name) ?? {};
  if (kind === 'apiKey') return { type: kind, scheme: name, in: place, name: parameter };
  return { type: kind ?? (type === 'mutualTLS' ? 'none' : 'unknown') };
};

/** The alternatives of an operation, or those of the document; `undefined` if it is open to everybody. */
export const describeSecurity = (document: unknown, operation: unknown): object[][] | undefined => {
  const requirements = ownMember(operation, 'security') ?? ownMember(document, 'security');
  if (!Array.isArray(requirements) || requirements.length === 0) return undefined;
  return requirements.map((requirement: object) =>
    Object.keys(requirement).map((scheme) => describeScheme(document, scheme)),
  );
};
