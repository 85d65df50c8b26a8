/**
 * Writes the lists of exports in the READMEs of the packages: each export with the first sentence of its JSDoc.
 *
 *   npm run exports
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { type Entry, LIST, readPackages } from './exports/packages.ts';

/** What an entry is for, where its name does not say it. */
const NOTES: Readonly<Record<string, string>> = {
  internal: 'For packages of the same version. No promise is made about it.',
  programs: 'A program that a build bundles as a file of its own. It exports nothing.',
};

const noteOf = (specifier: string): string => {
  const [, , part = ''] = specifier.split('/');
  return NOTES[part] === undefined ? '' : `${NOTES[part]}\n\n`;
};

const renderEntry = ({ specifier, exports }: Entry): string => {
  const lines = exports
    .toSorted((one, other) => one.name.localeCompare(other.name, 'en'))
    .map(({ name, isType, words }) => `- \`${name}\`${isType ? ' (type)' : ''}: ${words}`);
  return `### \`${specifier}\`\n\n${noteOf(specifier)}${lines.join('\n')}`.trimEnd();
};

for (const { readme, entries } of readPackages()) {
  const text = readFileSync(readme, 'utf8');
  const [head = ''] = text.split(LIST);
  const list = entries.map(renderEntry).join('\n\n');
  const written = `${head.trimEnd()}\n${LIST}\n${list}\n`;
  if (written !== text) writeFileSync(readme, written);
  console.log(`${readme} ${written === text ? 'is up to date' : 'written'}`);
}
