import { renderTable } from '@trellis/contract-tests/internal';

test('a table has its first column on the left, and the others on the right', () => {
  const rows = [
    ['one', '1'],
    ['another', '1,000'],
  ];
  expect(renderTable(['fault', 'b'], rows).split('\n')).toEqual([
    '| fault   |     b |',
    '|---------|------:|',
    '| one     |     1 |',
    '| another | 1,000 |',
  ]);
});
