import type { components } from '../generated/openapi.ts';
import type { Refusal } from './contract/problems/problem.ts';

/** What this service is called, and where it keeps its data unless DATABASE_URL says otherwise. */
export const PRODUCT = {
  /** The command, as package.json names it. */
  name: 'plant-store',
  title: 'Plant Store',
  databaseUrl: 'sqlite:data/plants.db',
} as const;

/** The body of every error reply: the `Error` of the contract. See docs/errors.md. */
export const errorBody = ({ code, message }: Refusal): components['schemas']['Error'] => ({
  error: code,
  message,
});
