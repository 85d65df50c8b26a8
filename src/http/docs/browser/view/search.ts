import type { Contract } from '../context.ts';
import type { Listed, NamedSchema } from '../contract/outline.ts';

/** More are not shown: another word finds fewer. */
const MOST = 50;

/** What a search has found. */
export interface Found {
  readonly operations: readonly Listed[];
  readonly schemas: readonly NamedSchema[];
}

/** Finds the operations and schemas that hold every word, in any case and order. */
export const search = ({ groups, schemas }: Contract, query: string): Found => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (...texts: readonly string[]): boolean => {
    const text = texts.join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return {
    operations: groups
      .flatMap(({ operations }) => operations)
      .filter(({ title, method, path, id, tag }) => fits(title, method, path, id, tag))
      .slice(0, MOST),
    schemas: schemas.filter(({ name }) => fits(name)).slice(0, MOST),
  };
};
