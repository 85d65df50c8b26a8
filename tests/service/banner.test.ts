import { stripVTControlCharacters } from 'node:util';
import { renderBanner } from '../../src/banner.ts';

const ADDRESS = 'http://127.0.0.1:3000';

test.each([
  ['postgres://plants:s3cret@db.example:5432/plants', 'postgres://db.example:5432/plants'],
  ['postgres://plants:@s3cret@db.example/plants', 'postgres://db.example/plants'],
  ['postgresql://db.example/plants?user=plants&password=s3cret', 'postgresql://db.example/plants'],
  ['postgres:///plants?host=/run/postgresql&password=s3cret', 'postgres:///plants'],
  ['postgres://plants:s3cret/@db.example/plants', 'postgres:'],
])('of %s no password is shown', (store, shown) => {
  const banner = renderBanner({ address: ADDRESS, store });
  expect(banner).toMatch(new RegExp(`^ {2}store +${shown}$`, 'm'));
  expect(banner).not.toContain('s3cret');
});

test('the file of a store is shown as it was named', () => {
  expect(renderBanner({ address: ADDRESS, store: 'sqlite:data/a@b?c.db' })).toContain(
    'sqlite:data/a@b?c.db\n',
  );
});

test('configured tokens are not shown; the line to paste has a place for one', () => {
  const banner = renderBanner({ address: ADDRESS, store: 'memory:' });
  expect(banner).toContain('one of those that you have configured');
  expect(banner).toContain("'Authorization: Bearer <ACCESS_TOKEN>'");
});

test('colours are for terminals that have them, and never in the line to paste', () => {
  const welcome = { address: ADDRESS, store: 'memory:' };
  const plain = renderBanner(welcome);
  const coloured = renderBanner({ ...welcome, inColour: true });
  expect(plain).not.toContain('\u001b');
  expect(stripVTControlCharacters(coloured)).toBe(plain);
  expect(coloured).not.toBe(plain);
  expect(coloured.split('\n').filter((line) => line.includes('curl'))).toEqual([
    expect.not.stringContaining('\u001b'),
  ]);
});
