import type { Runs, Statement, Value } from './protocol.ts';

/** Joins statements that follow each other with the same text. */
export const toRuns = (statements: readonly Statement[]): Runs[] => {
  const all: Runs[] = [];
  for (let start = 0; start < statements.length; ) {
    const { sql, values } = statements[start] ?? { sql: '', values: [] };
    let end = start + 1;
    for (let next = statements[end]; next?.sql === sql && next.values.length === values.length; ) {
      end += 1;
      next = statements[end];
    }
    const some = statements.slice(start, end);
    const columns = values.map((_, column) => some.map((statement) => statement.values[column] ?? null));
    all.push({ sql, count: some.length, columns });
    start = end;
  }
  return all;
};

/** Does work with the values of each statement. They are in one array, which is used again for the next one. */
export const mapRuns = <Result>(
  { count, columns }: Runs,
  work: (values: readonly Value[]) => Result,
): Result[] => {
  const values: Value[] = [];
  const results: Result[] = [];
  for (let index = 0; index < count; index += 1) {
    for (const [place, column] of columns.entries()) values[place] = column[index] ?? null;
    results.push(work(values));
  }
  return results;
};
