import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DOCS, findAll, PAGES, read, withoutCode } from './support/pages.ts';
import { ROOT } from './support/scratch.ts';

/** The anchors that GitHub creates for the headings of a page. */
const anchorsOf = (page: string): string[] =>
  [...withoutCode(read(page)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** Whether a relative link leads to a file, and to a heading of it if the link names one. */
const leadsSomewhere = ({ page, found }: { page: string; found: string }): boolean => {
  const [path = '', anchor] = found.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  return existsSync(join(ROOT, target)) && (anchor === undefined || anchorsOf(target).includes(anchor));
};

const links = findAll(/(?:\]\(|<img src="|srcset=")((?!https?:)[^)"]+)[)"]/g, (page) =>
  withoutCode(read(page)),
);

test('every relative link and picture leads to a file, and to a heading if it names one', () => {
  expect(PAGES.length).toBeGreaterThan(40);
  expect(links.length).toBeGreaterThan(150);
  expect(links.filter((link) => !leadsSomewhere(link))).toEqual([]);
});

test('the README of a package, which is read elsewhere too, names pages that are there instead of linking to them', () => {
  const inPackages = ({ page }: { page: string }) => page.startsWith('packages/');
  expect(links.filter(inPackages)).toEqual([]);
  const named = findAll(/`(docs\/[\w/-]+\.md)`/g).filter(inPackages);
  expect(new Set(named.map(({ page }) => page)).size).toBe(9);
  expect(named.filter(({ found }) => !existsSync(join(ROOT, found)))).toEqual([]);
});

test('the index leads to every page of docs, and the README to the index', () => {
  const targets = links
    .filter(({ page }) => page === 'docs/README.md')
    .map(({ found }) => join('docs', found.split('#')[0] ?? ''));
  expect(DOCS.filter((page) => page !== 'docs/README.md' && !targets.includes(page))).toEqual([]);
  expect(read('README.md')).toContain('](docs/README.md)');
});

test('every page of docs is in one part of four', () => {
  const parts = new Set(DOCS.map((page) => page.split('/').slice(1, -1)[0] ?? 'index'));
  expect([...parts].toSorted()).toEqual(['explanation', 'how-to', 'index', 'reference', 'tutorial']);
});

test('every page begins with its title, and has no other', () => {
  const titlesOf = (page: string): string[] => withoutCode(read(page)).match(/^# .+$/gm) ?? [];
  const others = PAGES.filter((page) => !read(page).startsWith('# ') || titlesOf(page).length !== 1);
  expect(others).toEqual([]);
});

test('no page names a folder where the machine stood before it became packages', () => {
  const before = findAll(
    /(?<![\w/-])((?:src\/(?:contract|http|auth|engines|program|client)|scripts\/(?:generate|new|dev|build|contract-tests))\b(?!\.ts)[\w./-]*)/g,
  );
  expect(before).toEqual([]);
});
