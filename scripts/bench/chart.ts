import type { Spread, Standing } from './rounds.ts';

/** A bar of the chart, with a line from the lowest to the highest round. */
export interface Bar {
  readonly label: string;
  readonly value: Spread;
  /** Drawn in the colour of the service. */
  readonly isOurs?: boolean;
  /** Drawn as an outline: a reference, not something to use. */
  readonly isLimit?: boolean;
}

/** Bars that share a scale. */
export interface Group {
  readonly title: string;
  readonly bars: readonly Bar[];
}

const OURS: readonly string[] = ['ours', 'workers', 'postgres', 'postgres-workers'];

/** A group with a bar for each server that was measured. */
export const toGroup = (title: string, standings: readonly Standing[]): Group => ({
  title,
  bars: standings.flatMap(({ name, title: label, measurements: { rate } }) =>
    rate ? [{ label, value: rate, isOurs: OURS.includes(name), isLimit: name === 'limit' }] : [],
  ),
});

const WIDTH = 860;
const MARGIN = 28;
const LABELS = 312;
const NUMBERS = 96;
const ROW = 32;
const BAR = 18;
const HEAD = 76;
const GROUP_HEAD = 44;
const BARS = WIDTH - 2 * MARGIN - LABELS - NUMBERS;

const STYLE = `
    :root { --ground: #ffffff; --ink: #1c2321; --soft: #66706c; --rule: #e3e8e5; --bar: #a9b4af; --ours: #1f8a5b; --range: #1c2321; }
    @media (prefers-color-scheme: dark) {
      :root { --ground: #12181a; --ink: #e8eeeb; --soft: #93a09b; --rule: #26302e; --bar: #5b6965; --ours: #3fc48a; --range: #e8eeeb; }
    }
    text { font: 14px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; fill: var(--ink); }
    .title { font-size: 19px; font-weight: 600; }
    .soft { fill: var(--soft); font-size: 13px; }
    .group { font-weight: 600; }
    .number { font-variant-numeric: tabular-nums; text-anchor: end; }
    .strong { font-weight: 600; }
    .ground { fill: var(--ground); }
    .rule { stroke: var(--rule); }
    .bar { fill: var(--bar); }
    .ours { fill: var(--ours); }
    .limit { fill: none; stroke: var(--bar); stroke-width: 1.5; stroke-dasharray: 5 3; }
    .range { stroke: var(--range); stroke-width: 1.5; opacity: 0.55; }`;

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const at = (value: number): string => value.toFixed(1);

const renderBar = (
  { label, value, isOurs = false, isLimit = false }: Bar,
  scale: number,
  top: number,
): string => {
  const left = MARGIN + LABELS;
  const middle = top + ROW / 2;
  const lengthOf = (amount: number) => Math.max(2, amount * scale);
  const kind = isLimit ? 'limit' : isOurs ? 'ours' : 'bar';
  const strong = isOurs ? ' strong' : '';
  const [from, to] = [left + lengthOf(value.least), left + lengthOf(value.most)];
  return [
    `<text class="${strong.trim()}" x="${MARGIN}" y="${at(middle + 5)}">${escapeText(label)}</text>`,
    `<rect class="${kind}" x="${left}" y="${at(middle - BAR / 2)}" width="${at(lengthOf(value.median))}" height="${BAR}" rx="3"/>`,
    `<path class="range" d="M${at(from)} ${at(middle)}H${at(to)}M${at(from)} ${at(middle - 4)}v8M${at(to)} ${at(middle - 4)}v8"/>`,
    `<text class="number${strong}" x="${WIDTH - MARGIN}" y="${at(middle + 5)}">${Math.round(value.median).toLocaleString('en')}</text>`,
  ].join('\n  ');
};

/** Draws groups of bars as an SVG that suits light and dark pages. */
export const renderChart = (title: string, subtitle: string, groups: readonly Group[]): string => {
  const shown = groups.filter(({ bars }) => bars.length > 0);
  let top = HEAD;
  const parts = shown.map(({ title: heading, bars }) => {
    const scale = BARS / Math.max(...bars.map(({ value }) => value.most));
    const rule = `<path class="rule" d="M${MARGIN} ${top + 8.5}H${WIDTH - MARGIN}"/>`;
    const head = `${rule}\n  <text class="group" x="${MARGIN}" y="${top + 32}">${escapeText(heading)}</text>`;
    top += GROUP_HEAD;
    const drawn = bars.map((bar, index) => renderBar(bar, scale, top + index * ROW));
    top += bars.length * ROW;
    return [head, ...drawn].join('\n  ');
  });
  const height = top + 20;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escapeText(title).replaceAll('"', '&quot;')}">
  <style>${STYLE}
  </style>
  <rect class="ground" width="${WIDTH}" height="${height}" rx="10"/>
  <text class="title" x="${MARGIN}" y="38">${escapeText(title)}</text>
  <text class="soft" x="${MARGIN}" y="62">${escapeText(subtitle)}</text>
  ${parts.join('\n  ')}
</svg>
`;
};
