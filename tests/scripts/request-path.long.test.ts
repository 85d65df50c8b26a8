import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';

jest.setTimeout(120_000);

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test('the page about the way of a request links all files that a warm request runs, and no others', () => {
  const table = execFileSync('npm', ['run', '--silent', 'path'], { cwd: ROOT, encoding: 'utf8' });
  const run = [...table.matchAll(/\d+ {2}(\S+\.ts)$/gm)].map(([, file]) => file);
  const page = readFileSync(new URL('../../docs/explanation/request.md', import.meta.url), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('|'));
  const linked = rows.flatMap((row) => [...(row.split('|')[3] ?? '').matchAll(/\]\(\.\.\/\.\.\/([^)]+)\)/g)]);
  expect(linked.map(([, file]) => file).toSorted()).toEqual(run.toSorted());
  expect(page).toContain(`these ${run.length} files`);
});
