import { renderTable } from '@trellis/contract-tests/internal';

test('a table that is too wide becomes several, each with the first column, and loses nothing', () => {
  const header = ['fault', ...Array.from({ length: 12 }, (_, index) => `a column ${index}`)];
  const rows = ['one', 'another'].map((name) => [
    name,
    ...header.slice(1).map((_, index) => `${index * 1000}`),
  ]);
  const tables = renderTable(header, rows).split('\n\n');
  expect(tables.length).toBe(2);
  for (const line of tables.join('\n').split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  const cellsOf = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  const [head, , one, another] = tables
    .map((table) => table.split('\n').map(cellsOf))
    .reduce((whole, part) => whole.map((cells, index) => [...cells, ...(part[index] ?? []).slice(1)]));
  expect([head, one, another]).toEqual([header, ...rows]);
});

test('a table that fits stays whole, and a column that never fits is shown all the same', () => {
  expect(renderTable(['a', 'b'], [['1', '2']])).toBe('| a | b |\n|---|--:|\n| 1 | 2 |');
  expect(renderTable(['a', 'b'], [['1', 'x'.repeat(120)]])).toContain('x'.repeat(120));
});
