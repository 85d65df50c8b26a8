import { isTree } from '@trellis/openapi/internal/json';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Characters that XML 1.0 cannot hold (section 2.2). */
const UNWRITABLE = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** Escapes a text for XML and HTML. */
export const escapeMarkup = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? '');

/** A name that an element can have. */
const elementName = (name: string): string => {
  const safe = name.replaceAll(/[^\w.-]/g, '_');
  return /^[A-Za-z_]/.test(safe) ? safe : `_${safe}`;
};

const writeElement = (name: string, value: unknown): string => {
  if (Array.isArray(value)) return value.map((item) => writeElement(name, item)).join('');
  const content = isTree(value)
    ? Object.entries(value)
        .map(([member, each]) => writeElement(elementName(member), each))
        .join('')
    : escapeMarkup(String(value ?? '').replaceAll(UNWRITABLE, ''));
  return `<${name}>${content}</${name}>`;
};

/** A value as plain XML: an element for each member, and one for each item of a list (OAS 3.1, section 4.8.26). */
export const toXml = (value: unknown, root: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${
    Array.isArray(value)
      ? `<${elementName(root)}>${writeElement('item', value)}</${elementName(root)}>`
      : writeElement(elementName(root), value)
  }`;
