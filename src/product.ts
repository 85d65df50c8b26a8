import { readFileSync } from 'node:fs';
import type { Product, Refusal } from '@trellis/server';
import type { components } from '../generated/openapi.ts';

/** package.json and openapi.yaml stand above this file, and above the built programs: `npm run build` copies them. */
const above = (file: string): URL => new URL(`../${file}`, import.meta.url);

const { name, version } = JSON.parse(readFileSync(above('package.json'), 'utf8'));

/** What this service is called, what it serves, and where it keeps its data unless DATABASE_URL says otherwise. */
export const PRODUCT: Product = {
  name,
  version,
  title: 'Plant Store',
  contract: above('openapi.yaml'),
  databaseUrl: 'sqlite:data/plants.db',
};

/** The body of every error reply: the `Error` of the contract. See docs/reference/errors.md. */
export const errorBody = ({ code, message }: Refusal): components['schemas']['Error'] => ({
  error: code,
  message,
});
