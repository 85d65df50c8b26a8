/** Formats a number, rounded, with thousands separators. */
export const count = (value: number): string => Math.round(value).toLocaleString('en');

/** A Markdown table that is also readable as plain text: the first column is left-aligned, the others right-aligned. */
export const renderTable = (header: readonly string[], rows: readonly (readonly string[])[]): string => {
  const widths = header.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [line(header), rule, ...rows.map(line)].join('\n');
};
