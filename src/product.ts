import { readFileSync } from 'node:fs';
import type { Product } from '@trellis/server';
import { type Contract, contract } from '../generated/handler.ts';

/** package.json is one folder above this file, and above the built programs: `npm run build` copies it. */
const { name, version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** The service: its name, its contract, and its default database. */
export const PRODUCT: Product<Contract> = {
  name,
  version,
  title: 'Plant Store',
  contract,
  databaseUrl: 'sqlite:data/plants.db',
};
