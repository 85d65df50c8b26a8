import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/scratch.ts';

const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name: `src/${name}`, text: readFileSync(join(ROOT, 'src', name), 'utf8') }));

test('the domain knows nothing of HTTP or SQL', () => {
  const domain = sources.filter(({ name }) => name.startsWith('src/plants/'));
  expect(domain.length).toBeGreaterThan(0);
  expect(domain.filter(({ text }) => /node:http|express|sqlite|select |insert /i.test(text))).toEqual([]);
});
