import type { Contract } from './contract.ts';
import type { Listed, NamedSchema } from './outline.ts';

/** More are not shown: another word finds fewer. */
const MOST = 50;

/** A search result. */
export interface Found {
  readonly operations: readonly Listed[];
  readonly webhooks: readonly Listed[];
  readonly schemas: readonly NamedSchema[];
}

/** Finds the operations, webhooks and schemas that hold every word, in any case and order. */
export const search = ({ groups, webhooks, schemas }: Contract, query: string): Found => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (...texts: readonly string[]): boolean => {
    const text = texts.join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const fitting = (listed: readonly Listed[]): Listed[] =>
    listed.filter(({ title, method, path, id, tag }) => fits(title, method, path, id, tag)).slice(0, MOST);
  return {
    operations: fitting(groups.flatMap(({ operations }) => operations)),
    webhooks: fitting(webhooks),
    schemas: schemas.filter(({ name }) => fits(name)).slice(0, MOST),
  };
};
