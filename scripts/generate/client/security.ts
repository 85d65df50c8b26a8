/** Describes which credentials an operation asks for. */
import { followRefs, ownMember, pointerTo, valueAt } from '../../../src/contract/json/pointer.ts';

/** Tokens of OAuth 2.0 and OpenID Connect are sent as bearer tokens (RFC 6750); a certificate is not sent in a request. */
const TYPES: ReadonlyMap<unknown, string> = new Map([
  ['bearer', 'bearer'],
  ['oauth2', 'bearer'],
  ['openIdConnect', 'bearer'],
  ['basic', 'basic'],
  ['mutualTLS', 'none'],
]);

const describeScheme = (document: unknown, scheme: string): object => {
  const declared = valueAt(
    document,
    followRefs(document, pointerTo('components', 'securitySchemes', scheme)),
  );
  const type = ownMember(declared, 'type');
  if (type === 'apiKey')
    return { type, scheme, in: ownMember(declared, 'in'), name: ownMember(declared, 'name') };
  const known = TYPES.get(type === 'http' ? String(ownMember(declared, 'scheme')).toLowerCase() : type);
  return { type: known ?? 'unknown' };
};

/** The alternatives of an operation, or those of the document; `undefined` if it is open to everybody. */
export const describeSecurity = (document: unknown, operation: unknown): object[][] | undefined => {
  const requirements = ownMember(operation, 'security') ?? ownMember(document, 'security');
  if (!Array.isArray(requirements) || requirements.length === 0) return undefined;
  return requirements.map((requirement: object) =>
    Object.keys(requirement).map((scheme) => describeScheme(document, scheme)),
  );
};
