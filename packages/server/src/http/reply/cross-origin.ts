import type { CrossOriginFields } from '../observe/exchange.ts';

const ACCESS = /^access-control-/i;
const VARY = /^vary$/i;

/**
 * Adds the header fields that let a page of another origin read a reply. They replace the fields that a handler set,
 * because a browser rejects a reply that has two of them.
 */
export const addCrossOrigin = (added: CrossOriginFields, fields: (string | number)[]): void => {
  let vary = 'Origin';
  for (let index = fields.length - 2; index >= 0; index -= 2) {
    const name = String(fields[index]);
    const isVary = added.varies && VARY.test(name);
    if (isVary) vary = `${fields[index + 1]}, ${vary}`;
    if (isVary || ACCESS.test(name)) fields.splice(index, 2);
  }
  fields.push(...added.access);
  if (added.varies) fields.push('Vary', vary);
};
