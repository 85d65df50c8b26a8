import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './scratch.ts';

const isPage = (name: string): boolean => name.endsWith('.md');

const pagesIn = (folder: string, recursive = false): string[] =>
  readdirSync(join(ROOT, folder), { recursive, encoding: 'utf8' })
    .filter(isPage)
    .map((name) => join(folder, name));

/** The pages of docs. */
export const DOCS: readonly string[] = pagesIn('docs', true);

/** Every page of the repository: in the top folder, in docs and in the packages. */
export const PAGES: readonly string[] = [
  ...pagesIn('.'),
  ...DOCS,
  ...readdirSync(join(ROOT, 'packages')).flatMap((name) => pagesIn(join('packages', name))),
];

/** Reads a file of the repository. */
export const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** A page without its fenced blocks. */
export const withoutCode = (text: string): string => text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');

/** Every match of a pattern's first group in any page, with the page. */
export const findAll = (pattern: RegExp, textOf = read): { page: string; found: string }[] =>
  PAGES.flatMap((page) =>
    [...textOf(page).matchAll(pattern)].map(([, found = '']) => ({
      page,
      found: found.replaceAll(/\s+/g, ' '),
    })),
  );

/** The rows of the tables under a heading of a page, as lists of cells. */
export const tableUnder = (page: string, heading: string): string[][] => {
  const section = read(page).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
};
