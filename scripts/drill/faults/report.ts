import { count, renderTable } from '@trellis/contract-tests/internal';
import { type DrillResult, isWhole } from './drill.ts';

/** How many wrong answers of a fault are shown. */
const MAX_SHOWN = 5;

/** The promises that a fault has broken. */
export const findBroken = ({
  fault,
  subject,
  wrong,
  refused,
  unanswered,
  waits,
  ...result
}: DrillResult): string[] => {
  const { title, mayDrop, mustServe, mostWait = Number.POSITIVE_INFINITY } = fault;
  const slowest = Math.max(0, ...waits);
  return [
    ...(isWhole(result) ? [] : ['the store differs from the acknowledged writes']),
    ...(unanswered > 0 && !mayDrop ? [`${unanswered} requests were not answered`] : []),
    ...(refused > 0 && mustServe ? [`${refused} requests were refused (503)`] : []),
    ...(slowest > mostWait ? [`an answer took ${slowest.toFixed(2)} s of work`] : []),
    ...wrong.slice(0, MAX_SHOWN),
  ].map((what) => `${subject}: ${title}: ${what}`);
};

const COLUMNS =
  'subject|fault|rounds|acknowledged|lost|altered|twice|refused (503)|unanswered|too late|slowest answer, s (median / most)';

const renderRow = ({
  fault,
  subject,
  waits,
  acknowledged,
  lost,
  altered,
  twice,
  ...counts
}: DrillResult): string[] => {
  const sorted = waits.toSorted((one, other) => one - other);
  const [median, most] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  const { refused, unanswered, tooLate } = counts;
  const figures = [waits.length, acknowledged, lost, altered, twice, refused, unanswered, tooLate];
  return [subject, fault.title, ...figures.map(count), `${median?.toFixed(2)} / ${most?.toFixed(2)}`];
};

/** The results as a table, with what should not have happened below it. */
export const renderReport = (results: readonly DrillResult[]): string => {
  const findings = results.flatMap(findBroken);
  return [
    renderTable(COLUMNS.split('|'), results.map(renderRow)),
    '',
    `findings   ${findings.length === 0 ? 'none' : findings.length}`,
    ...findings.map((finding) => `✗ ${finding}`),
  ].join('\n');
};
