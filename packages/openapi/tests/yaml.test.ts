import { parsePage } from '@trellis/openapi/internal/files';

test.each<[text: string, value: unknown]>([
  ['41', 41],
  ['+41', 41],
  ['010', 10],
  ['9007199254740993', 9007199254740993n],
  ['+9007199254740993', 9007199254740993n],
  ['-9007199254740993', -9007199254740993n],
  ['0x1f', 31],
  ['0x20000000000001', 9007199254740993n],
  ['0x7fffffffffffffff', 9223372036854775807n],
  ['!!int "0x20000000000001"', 9007199254740993n],
  ['0o17', 15],
  ['0o777777777777777777777', 9223372036854775807n],
  ['-0x1f', '-0x1f'],
  ['0X1F', '0X1F'],
  ['0b1', '0b1'],
  ['1_000', '1_000'],
  ['1e3', 1000],
  ['.inf', Number.POSITIVE_INFINITY],
  ['yes', 'yes'],
  ['2001-01-01', '2001-01-01'],
  ['{ <<: { a: 0x20000000000001 } }', { a: 9007199254740993n }],
])('%s in YAML is read as its exact value', (text, value) => {
  expect(parsePage(`value: ${text}`, 'page.yaml')).toEqual({ value });
});
