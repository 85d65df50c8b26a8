import type { Group, Listed, NamedSchema } from './outline.ts';
import type { NamedScheme } from './security.ts';

/** The contract that the page shows. */
export interface Contract {
  readonly document: unknown;
  /** The address that it was loaded from. */
  readonly url: string;
  readonly groups: readonly Group[];
  readonly webhooks: readonly Listed[];
  readonly schemas: readonly NamedSchema[];
  readonly schemes: readonly NamedScheme[];
}

/** More are not shown: another word finds fewer. */
const MOST = 50;

/** Finds the operations, webhooks and schemas that hold every word, in any case and order. */
export const search = ({ groups, webhooks, schemas }: Contract, query: string) => {
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
