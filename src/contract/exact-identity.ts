import { type Decimal, parseDecimal } from './decimal.ts';
import { isTree, ownMember } from './pointer.ts';

/** One text for a number, however it was written: `1.50` and `15e-1` are the same. */
const writeDecimal = ({ digits, scale }: Decimal): string => {
  if (digits === 0n) return '0';
  const text = `${digits}`;
  let zeros = 0;
  while (zeros < scale && text.at(-1 - zeros) === '0') zeros += 1;
  const significant = text.slice(0, text.length - zeros);
  return zeros === scale ? significant : `${significant}e-${scale - zeros}`;
};

const writeNumber = (value: number, source: unknown): string => {
  if (typeof source !== 'string' && Number.isSafeInteger(value)) return `${value}`;
  const decimal = parseDecimal(typeof source === 'string' ? source : `${value}`);
  return decimal ? writeDecimal(decimal) : `${value}`;
};

/**
 * A text that equal values share, and no others (JSON Schema 2020-12, section 4.2.2): numbers by the digits that were
 * sent, where those are known, and members in whatever order.
 */
export const identityOf = (value: unknown, exact: unknown): string => {
  if (typeof value === 'number') return writeNumber(value, exact);
  if (!isTree(value)) return JSON.stringify(value);
  const of = (name: string): string => identityOf(value[name], ownMember(exact, name));
  if (Array.isArray(value)) return `[${Object.keys(value).map(of).join(',')}]`;
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${of(name)}`).join(',')}}`;
};
