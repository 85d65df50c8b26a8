import { createContext } from 'preact';
import { useContext, useMemo } from 'preact/hooks';
import type { Contract } from './contract/contract.ts';
import { type Operation, readOperation } from './contract/operation.ts';
import type { Listed } from './contract/outline.ts';
import type { Credentials } from './request/credentials.ts';

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
  if (!shared) throw new Error('this component is outside the page');
  return shared;
};

/** Everything about an operation, read once. */
export const useOperation = (listed: Listed): Operation => {
  const { document, url } = useShared().contract;
  return useMemo(() => readOperation(document, listed, url), [document, listed, url]);
};
