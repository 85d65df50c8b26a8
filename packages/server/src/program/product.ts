import { fileURLToPath } from 'node:url';
import type { ContractTypes } from '@trellis/contract';

declare const types: unique symbol;

/** The file of a contract, with the types of its handlers: `contract` of generated/handler.ts. */
export type ContractFile<C extends ContractTypes> = URL & { readonly [types]?: C };

/** A program, and the contract that it serves: the part of its options that its commands need, too. */
export interface Product<C extends ContractTypes = ContractTypes> {
  /** The command, as package.json names it. */
  readonly name: string;
  readonly version: string;
  /** The title for people; the name if not given. */
  readonly title?: string;
  /** The file of its contract. */
  readonly contract: ContractFile<C> | string;
  /** The store, unless DATABASE_URL names another; `none`, or not given, if the service keeps no data. */
  readonly databaseUrl?: string;
}

/** The path of the file of a contract. */
export const contractPathOf = ({ contract }: Pick<Product, 'contract'>): string =>
  contract instanceof URL ? fileURLToPath(contract) : contract;
