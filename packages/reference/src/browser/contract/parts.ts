import { ownMember, pointerTo, valueAt } from '@trellis/openapi/json';
import { itemsKindAt, memberAt, typesOf } from '@trellis/openapi/schema';

/** What the contract says of the part at one position of a body (OAS 3.2, Encoding By Position). */
export interface Position {
  readonly schemaAt: string | undefined;
  readonly mediaType: string;
}

/** The parts of a body: `at` describes each, and `first` is how many have a description of their own. */
export interface Positions {
  readonly first: number;
  readonly at: (nth: number) => Position;
}

const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0);

/** The parts of the body at a pointer; `undefined` if it does not have any without names. */
export const partsAt = (document: unknown, contentAt: string, mediaType: string): Positions | undefined => {
  const whole = contentAt + pointerTo('schema');
  if (itemsKindAt(document, mediaType, whole) !== 'parts') return undefined;
  const content = valueAt(document, contentAt);
  const prefixAt = memberAt(document, whole, 'prefixItems');
  const usualOf = (schemaAt: string | undefined): string => {
    const types = schemaAt === undefined ? [] : [...typesOf(document, schemaAt)];
    return types.some((type) => type === 'object' || type === 'array') ? 'application/json' : 'text/plain';
  };
  return {
    first: prefixAt === undefined ? 0 : lengthOf(valueAt(document, prefixAt)),
    at: (nth) => {
      const schemaAt =
        memberAt(document, whole, 'prefixItems', `${nth}`) ?? memberAt(document, whole, 'items');
      const prefix = ownMember(ownMember(content, 'prefixEncoding'), `${nth}`);
      const declared = ownMember(prefix ?? ownMember(content, 'itemEncoding'), 'contentType');
      const [type = ''] = String(declared ?? '').split(/\s*,\s*/);
      return { schemaAt, mediaType: type === '' || type.includes('*') ? usualOf(schemaAt) : type };
    },
  };
};
