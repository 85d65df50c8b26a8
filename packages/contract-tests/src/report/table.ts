/** A number rounded to a whole one, as people write it. */
export const count = (value: number): string => Math.round(value).toLocaleString('en');

/** The most columns of text that a table has, unless told otherwise. */
const WIDTH = 100;

const widthsOf = (header: readonly string[], rows: readonly (readonly string[])[]): number[] =>
  header.map((name, column) => Math.max(name.length, ...rows.map((row) => (row[column] ?? '').length)));

const render = (header: readonly string[], rows: readonly (readonly string[])[]): string => {
  const widths = widthsOf(header, rows);
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [line(header), rule, ...rows.map(line)].join('\n');
};

/** The columns of a table in as many groups as are too wide for one; the first column begins each. */
const groupsOf = (widths: readonly number[], width: number): number[][] => {
  const edges = 4;
  const groups = [[0]];
  let used = edges + (widths[0] ?? 0);
  for (let column = 1; column < widths.length; column += 1) {
    const more = 3 + (widths[column] ?? 0);
    if (used + more > width && (groups.at(-1)?.length ?? 0) > 1) {
      groups.push([0]);
      used = edges + (widths[0] ?? 0);
    }
    groups.at(-1)?.push(column);
    used += more;
  }
  return groups;
};

/**
 * A Markdown table that is also readable as plain text: the first column is left-aligned, the others right-aligned. One
 * that is too wide becomes several, one below the other, each with the first column.
 */
export const renderTable = (
  header: readonly string[],
  rows: readonly (readonly string[])[],
  width = WIDTH,
): string =>
  groupsOf(widthsOf(header, rows), width)
    .map((columns) => {
      const pick = (cells: readonly string[]) => columns.map((column) => cells[column] ?? '');
      return render(pick(header), rows.map(pick));
    })
    .join('\n\n');
