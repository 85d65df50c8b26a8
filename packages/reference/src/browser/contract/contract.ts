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
