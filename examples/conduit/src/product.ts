import { readFileSync } from 'node:fs';
import type { Product, Refusal } from '@trellis/server';
import type { components } from '../generated/openapi.ts';

/** package.json and openapi.yaml stand above this file, and above the built programs: `npm run build` copies them. */
const above = (file: string): URL => new URL(`../${file}`, import.meta.url);

const { version } = JSON.parse(readFileSync(above('package.json'), 'utf8'));

/** What this service is called, what it serves, and where it keeps its data unless DATABASE_URL says otherwise. */
export const PRODUCT: Product = {
  name: 'conduit',
  version,
  title: 'Conduit',
  contract: above('openapi.yaml'),
  databaseUrl: 'sqlite:data/conduit.db',
};

/** The body of error replies: a line for each violation. */
export const errorBody = ({ message, violations }: Refusal): components['schemas']['Refusal'] => ({
  errors: {
    body: violations.length > 0 ? violations.map((each) => `${each.place} ${each.message}`) : [message],
  },
});
