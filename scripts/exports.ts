/**
 * Writes the lists of public exports in the READMEs of the packages: each export with the first sentence of its JSDoc.
 *
 *   npm run exports
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { readPackages, renderReadme } from './exports/packages.ts';

for (const { readme, entries } of readPackages()) {
  const text = readFileSync(readme, 'utf8');
  const written = renderReadme(text, entries);
  if (written !== text) writeFileSync(readme, written);
  console.log(`${readme} ${written === text ? 'is up to date' : 'written'}`);
}
