import type { ServerResponse } from 'node:http';

declare module 'http' {
  interface ServerResponse {
    /** The header fields about other origins; `undefined` leaves those of the reply. */
    crossOriginFields?(): CrossOriginFields | undefined;
  }
}

/** Header fields about other origins. */
export interface CrossOriginFields {
  /** Names and values in turn. */
  readonly access: readonly string[];
  /** Whether the reply depends on the origin. Without `Vary` a cache could give the reply for one origin to another. */
  readonly varies: boolean;
}

const ACCESS = /^access-control-/i;
const VARY = /^vary$/i;

/**
 * Adds the header fields that let a page of another origin read a reply. They replace those of a handler, because a
 * browser rejects a reply that has two of them.
 */
export const addCrossOrigin = (response: ServerResponse, fields: (string | number)[]): void => {
  const added = response.crossOriginFields?.();
  if (added === undefined) return;
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
