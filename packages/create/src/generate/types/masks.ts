import { targetOf } from '@trellis/openapi/internal/json';

/**
 * Placeholders for characters that openapi-typescript mishandles: it takes names for references, and throws on `100%`;
 * it writes `/` for `#` in an operationId, and the operationId `1` as a number.
 */
const MASKS = { percent: '|percent sign|', hash: '|hash sign|', number: '|number|' };
const MASKED = /%|"operationId":"(?:[^"]*#|\d)/;

const maskIds = (key: string, value: unknown): unknown => {
  if (key === 'operationId' && typeof value === 'string')
    return (/^\d/.test(value) ? MASKS.number : '') + value.replaceAll('#', MASKS.hash);
  const target = key === '$ref' ? targetOf(value) : undefined;
  return target === undefined ? value : `#${target}`;
};

/** Copies a document for openapi-typescript, which modifies it, and masks the characters that it mishandles. */
export const copyMasked = (document: unknown) => {
  const plain = JSON.stringify(document);
  return JSON.parse(
    MASKED.test(plain) ? JSON.stringify(document, maskIds).replaceAll('%', MASKS.percent) : plain,
  );
};

/** Puts the masked characters back. */
export const unmask = (text: string): string =>
  text.replaceAll(MASKS.percent, '%').replaceAll(MASKS.hash, '#').replaceAll(MASKS.number, '');
