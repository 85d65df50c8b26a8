import type { Tried } from './try-document.ts';

/** The header of the table. */
export const COLUMNS = [
  'document',
  'OpenAPI',
  'operations',
  'generate s',
  'warnings',
  'build s',
  'ready ms',
  'MiB',
  'requests',
  'failures',
  'outcome',
];

/** How much of a reason the table shows. */
const LONGEST = 100;

const inOneLine = (text: string): string => {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
};

const write = (value: number | undefined, digits = 0): string =>
  value === undefined ? '' : value.toLocaleString('en', { maximumFractionDigits: digits });

/** One row of the table. */
export const renderRow = (file: string, tried: Tried): string[] => [
  file,
  tried.version,
  write(tried.operations),
  write(tried.generateSeconds, 1),
  write(tried.warnings === '' ? 0 : tried.warnings.split('\n').length),
  write(tried.buildSeconds, 1),
  write(tried.readyMilliseconds),
  write(tried.mebibytes),
  write(tried.requests),
  write(tried.failures),
  tried.failed === undefined ? 'green' : inOneLine(tried.failed),
];
