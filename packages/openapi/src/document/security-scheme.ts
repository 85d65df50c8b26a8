import { followRefs, isTree, ownMember, pointerTo, valueAt } from '../json/pointer.ts';
import { allOperations } from './path-item.ts';

/** A security scheme of the document: how clients send their credentials. */
export interface SecurityScheme {
  /** Its type in the document: `http bearer`, `apiKey`, `mutualTLS`. */
  readonly type: string;
  /** Which credentials are sent; `undefined` if the service cannot check them. */
  readonly kind: 'bearer' | 'basic' | 'apiKey' | undefined;
  /** Where an API key is sent. */
  readonly place: KeyPlace;
  /** The name of an API key there. */
  readonly parameter: string;
}

type KeyPlace = 'query' | 'header' | 'cookie';

/** Tokens of OAuth 2.0 and OpenID Connect are sent as bearer tokens (RFC 6750). */
const KINDS: Readonly<Record<string, SecurityScheme['kind']>> = {
  'http bearer': 'bearer',
  oauth2: 'bearer',
  openIdConnect: 'bearer',
  'http basic': 'basic',
  apiKey: 'apiKey',
};

const isKeyPlace = (place: string): place is KeyPlace =>
  place === 'query' || place === 'header' || place === 'cookie';

/** Reads a security scheme; returns `undefined` if the document does not declare it. */
export const schemeAt = (document: unknown, name: string): SecurityScheme | undefined => {
  const declared = valueAt(document, followRefs(document, pointerTo('components', 'securitySchemes', name)));
  if (!isTree(declared)) return undefined;
  const read = (member: string) => String(ownMember(declared, member) ?? '');
  const type = read('type') === 'http' ? `http ${read('scheme').toLowerCase()}` : read('type');
  const kind = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
  const place = read('in');
  if (isKeyPlace(place)) return { type, kind, place, parameter: read('name') };
  return { type, kind: kind === 'apiKey' ? undefined : kind, place: 'header', parameter: '' };
};

/** The security requirements of an operation: alternatives, each with the scopes that it needs of each scheme. */
export type Requirements = readonly Readonly<Record<string, readonly string[]>>[];

const isEmpty = (requirement: unknown): boolean =>
  !isTree(requirement) || Object.keys(requirement).length === 0;

/** Whether callers must send credentials. They need none if an alternative is empty. */
export const needsCredentials = (requirements: unknown): boolean =>
  Array.isArray(requirements) && requirements.length > 0 && !requirements.some(isEmpty);

/** Whether any operation of the document needs credentials of a scheme that is not in `exceptFor`. */
export const asksForCredentials = (document: unknown, exceptFor: readonly string[] = []): boolean =>
  allOperations(document).some(({ operation }) => {
    const requirements = operation.security ?? ownMember(document, 'security');
    if (!needsCredentials(requirements)) return false;
    return Object.values(requirements ?? []).some((requirement) =>
      Object.keys(requirement).some((name) => !exceptFor.includes(name)),
    );
  });
