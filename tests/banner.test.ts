import { stripVTControlCharacters } from 'node:util';
import { renderBanner } from '../src/banner.ts';

const ADDRESS = 'http://127.0.0.1:3000';

test('the password of a store is not shown', () => {
  const banner = renderBanner({ address: ADDRESS, store: 'postgres://plants:s3cret@db.example:5432/plants' });
  expect(banner).toContain('postgres://db.example:5432/plants');
  expect(banner).not.toContain('s3cret');
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
