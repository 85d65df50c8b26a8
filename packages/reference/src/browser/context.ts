import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Group, Listed, NamedSchema } from './contract/outline.ts';
import type { NamedScheme } from './contract/security.ts';
import type { Credentials } from './request/credentials.ts';

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

/** What every part of the page knows. */
export interface Shared {
  readonly contract: Contract;
  readonly credentials: Credentials;
  readonly setCredentials: (change: (before: Credentials) => Credentials) => void;
}

/** Hands the contract and the credentials to every part of the page. */
export const SharedContext = createContext<Shared | undefined>(undefined);

/** The contract and the credentials. */
export const useShared = (): Shared => {
  const shared = useContext(SharedContext);
  if (!shared) throw new Error('this part stands outside the page');
  return shared;
};
