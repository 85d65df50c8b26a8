import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';

/** The contract of the service, relative to where this file is built. */
export const CONTRACT_FILE = fileURLToPath(new URL('../../../openapi.yaml', import.meta.url));

/** What 3.1 added; none of it affects a request. */
const ADDED = ['identifier', 'examples', 'summary'];

/** The contract of the service for peers that claim to serve 3.1 but check documents by 3.0. */
export const readContract = () => {
  const document = JSON.stringify(load(readFileSync(CONTRACT_FILE, 'utf8')), (name, value) =>
    ADDED.includes(name) ? undefined : value,
  );
  return { ...JSON.parse(document), openapi: '3.0.3' };
};
