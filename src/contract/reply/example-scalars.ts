import { ownMember } from '../json/pointer.ts';

const TEXTS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  time: '12:00:00Z',
  duration: 'PT1H',
  uuid: '6f1c2b1e-8d0a-4c7e-9b6a-2f3d4e5a6b7c',
  email: 'someone@example.com',
  uri: 'https://example.com/',
  'uri-reference': '/example',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  byte: 'ZXhhbXBsZQ==',
};

/** A number in a schema; `undefined` if there is none. */
export const numberIn = (schema: unknown, key: string): number | undefined => {
  const value = ownMember(schema, key);
  return typeof value === 'number' ? value : undefined;
};

/** The number nearest to zero that the bounds and steps of a schema allow. */
export const exampleNumber = (schema: unknown, isInteger: boolean): number => {
  const step = numberIn(schema, 'multipleOf') ?? (isInteger ? 1 : 0.5);
  const above = numberIn(schema, 'exclusiveMinimum');
  const below = numberIn(schema, 'exclusiveMaximum');
  const most = Math.min(
    numberIn(schema, 'maximum') ?? Infinity,
    below === undefined ? Infinity : below - step,
  );
  const least = Math.max(numberIn(schema, 'minimum') ?? -Infinity, above === undefined ? -Infinity : above);
  if (least > 0 || above === 0) {
    const first = Math.ceil(least / step) * step;
    return first === above ? first + step : first;
  }
  return most < 0 ? Math.floor(most / step) * step : 0;
};

/** A text of the format and the length that a schema demands. */
export const exampleText = (schema: unknown): string => {
  const format = ownMember(schema, 'format');
  const known = typeof format === 'string' && Object.hasOwn(TEXTS, format) ? TEXTS[format] : undefined;
  if (known !== undefined) return known;
  const text = 'text'.padEnd(numberIn(schema, 'minLength') ?? 0, '.');
  return text.slice(0, numberIn(schema, 'maxLength') ?? text.length);
};
