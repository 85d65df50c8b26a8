import { readFileSync } from 'node:fs';
import type { Product, Refusal } from '@trellis/server';
import { type Contract, contract } from '../generated/handler.ts';
import type { components } from '../generated/openapi.ts';

/** package.json stands above this file, and above the built programs: `npm run build` copies it. */
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** The service: its name, its contract, and its default database. */
export const PRODUCT: Product<Contract> = {
  name: 'conduit',
  version,
  title: 'Conduit',
  contract,
  databaseUrl: 'sqlite:data/conduit.db',
};

/** The body of error replies: a line for each violation. */
export const errorBody = ({ message, violations }: Refusal): components['schemas']['Refusal'] => ({
  errors: {
    body: violations.length > 0 ? violations.map((each) => `${each.place} ${each.message}`) : [message],
  },
});
