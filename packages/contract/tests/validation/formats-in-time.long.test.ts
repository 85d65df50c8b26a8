import { decoderFor } from '../support/operation.ts';

const LENGTH = 100_000;

/** Beginnings of each format, after which hostile runs hurt most. */
const BEGINNINGS = {
  'date-time': ['', '2026-11-15T00:00:00.'],
  date: ['', '2026-'],
  time: ['', '00:00:00.'],
  duration: ['', 'P', 'P1Y', 'PT1'],
  uuid: ['', '6b5f3a52-'],
  email: ['', 'a@', 'a@b.'],
  hostname: ['', 'a.'],
  ipv4: ['', '1.'],
  ipv6: ['', '::'],
  uri: ['', 'a:', 'a:/3.', 'a://', 'a://[', 'http://'],
  'uri-reference': ['', '/', '//', 'a:/'],
  'uri-template': ['', '{', '{a,'],
  url: ['http://', 'https://a.', 'ftp://u:', 'http:\\\\', 'https:'],
  regex: ['', '(a)', '(?<a>b)'],
  'json-pointer': ['', '/'],
  'relative-json-pointer': ['', '0/'],
  byte: [''],
};
const RUNS = [
  'a',
  'a.',
  '1',
  '0.',
  ':',
  '%41',
  '%',
  '-',
  '/',
  '@',
  ':@',
  ',',
  'T',
  '=',
  'AAAA',
  ' ',
  '\n',
  'é',
  '~0',
  '\\',
  Array.from({ length: 20_000 }, (_, nth) => String.fromCodePoint(0x4e00 + nth)).join(''),
];
const OF_PATTERNS = ['(', '\\1(', '(\\k<a>', '(?:', '[', 'a|', '\\', '{1,', 'a*'];
const ENDS = ['', '\u0001'];

test.each(Object.entries(BEGINNINGS))(
  '%s is judged in linear time, whatever the text',
  async (format, starts) => {
    const decode = await decoderFor({ type: 'string', format });
    const runs = format === 'regex' ? [...RUNS, ...OF_PATTERNS] : RUNS;
    const texts = starts.flatMap((start) =>
      runs.flatMap((run) => ENDS.map((end) => start + run.repeat(LENGTH / run.length) + end)),
    );
    for (const each of texts) {
      const began = performance.now();
      await decode(JSON.stringify(each)).catch(() => {}); // most of them are refused
      expect([each.slice(0, 50), performance.now() - began > 1000]).toEqual([each.slice(0, 50), false]);
    }
  },
);

test.each([
  ['email', 'a.'],
  ['byte', 'AAAA'],
])('8 MB that are no %s are refused like a few bytes', async (format, run) => {
  const decode = await decoderFor({ type: 'string', format });
  const text = `${run.repeat(8_000_000 / run.length)}~ `;
  await expect(decode(JSON.stringify(text))).rejects.toThrow(`body must be a`);
});
