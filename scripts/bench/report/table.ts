import { renderTable } from '@trellis/contract-tests/internal';
import type { Standing } from '../rounds/rounds.ts';
import type { Spread } from '../rounds/spread.ts';

const write = (value: number, digits: number): string =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });

const writeSpread = (spread: Spread | undefined, digits: number): string =>
  spread
    ? `${write(spread.median, digits)} (${write(spread.least, digits)}–${write(spread.most, digits)})`
    : '–';

const writeMedian = (spread: Spread | undefined, digits: number): string =>
  spread ? write(spread.median, digits) : '–';

/** The results as a table: medians over the rounds, with the lowest and highest value in brackets. */
export const renderStandings = (what: string, standings: readonly Standing[]): string =>
  renderTable(
    [what, 'rounds', 'creates/s', 'p50 ms', 'p99 ms', 'CPU s / 10,000', 'peak MiB'],
    standings.map(({ title, rounds, voided, measurements }) => [
      title,
      voided.length > 0 ? `${rounds}, some void` : `${rounds}`,
      writeSpread(measurements.rate, 0),
      writeMedian(measurements.p50, 1),
      writeSpread(measurements.p99, 1),
      writeMedian(measurements.cpu, 2),
      writeMedian(measurements.peakMiB, 0),
    ]),
  );
