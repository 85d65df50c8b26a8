import type { DatabaseSyncInstance as Database } from '@photostructure/sqlite';
import { fieldOf, type Violated } from '../../errors.ts';
import { errcodeOf, SqliteError, violatedKind } from '../errors.ts';
import type { Statement } from '../protocol.ts';
import { violatedForeignKey } from './foreign-keys.ts';

const SPACE = /\s+/g;

/** The table that a statement writes to. */
const TARGET =
  /\b(?:(?:INSERT(?:\s+OR\s+\w+)?|REPLACE)\s+INTO|UPDATE(?:\s+OR\s+\w+)?|DELETE\s+FROM)\s+(?:"((?:[^"]|"")+)"|(\w+))/i;

const targetOf = (sql: string): string => {
  const [, quoted, plain = ''] = TARGET.exec(sql) ?? [];
  return quoted?.replaceAll('""', '"') ?? plain;
};

/** The unique index of these columns that the schema has created by a separate statement. */
const INDEX = `SELECT name FROM pragma_index_list(?1) AS list WHERE origin = 'c' AND ?2 =
  (SELECT group_concat(?1 || '.' || name, ', ') FROM pragma_index_info(list.name))`;

const INDEX_TABLE = "SELECT tbl_name AS name FROM sqlite_schema WHERE type = 'index' AND name = ?";

/** All tables, the one that was written to first. */
const TABLES = "SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name <> ? COLLATE NOCASE";

const TABLE_SQL = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE";

const NAMED = /\bCONSTRAINT\s+"?(\w+)"?\s+(?:UNIQUE|PRIMARY\s+KEY|FOREIGN\s+KEY)\s*\(([^)]*)\)/gi;

const textIn = (row: Readonly<Record<string, unknown>> | undefined, column: string): string | undefined => {
  const value = row?.[column];
  return typeof value === 'string' ? value : undefined;
};

/** SQLite does not tell the names of constraints: they are only in the text of the table. */
const constraintName = (
  database: Database,
  table: string,
  columns: readonly string[],
): string | undefined => {
  const sql = textIn(database.prepare(TABLE_SQL).get(table), 'sql') ?? '';
  for (const [, name, list = ''] of sql.matchAll(NAMED)) {
    const listed = list.split(',').map((column) => column.trim().replaceAll('"', ''));
    if (listed.join() === columns.join()) return name;
  }
  return undefined;
};

const describeColumns = (failed: string) => ({
  table: failed.slice(0, failed.indexOf('.')),
  columns: failed.split(', ').map((column) => column.slice(column.indexOf('.') + 1)),
});

const describeKey = (database: Database, failed: string): Violated => {
  const [, index] = /^index '(.*)'$/s.exec(failed) ?? [];
  if (index !== undefined)
    return { constraint: index, table: textIn(database.prepare(INDEX_TABLE).get(index), 'name') };
  const { table, columns } = describeColumns(failed);
  const created = textIn(database.prepare(INDEX).get(table, failed), 'name');
  return { constraint: created ?? constraintName(database, table, columns), table, columns };
};

const describeCheck = (database: Database, failed: string, target: string): Violated => {
  const row = database
    .prepare(TABLES)
    .all(target)
    .find((each) => textIn(each, 'sql')?.replaceAll(SPACE, ' ').includes(failed));
  return { constraint: /^\w+$/.test(failed) ? failed : undefined, table: textIn(row, 'name') };
};

const describe = (database: Database, statement: Statement, kind: string, message: string): Violated => {
  const failed = message.slice(message.indexOf(': ') + 2);
  const target = targetOf(statement.sql);
  if (kind === 'check') return describeCheck(database, failed.replaceAll(SPACE, ' '), target);
  if (kind === 'not null') return describeColumns(failed);
  if (kind === 'unique') return describeKey(database, failed);
  const { table, columns = [] } = violatedForeignKey(database, statement, target);
  return { constraint: table && constraintName(database, table, columns), table, columns };
};

/**
 * The error of a statement; the error of a violated constraint names the columns. SQLite names them in its message, and
 * nothing of a foreign key.
 */
export const describeViolation = (database: Database, statement: Statement, error: unknown): unknown => {
  const errcode = errcodeOf(error);
  const kind = violatedKind(errcode);
  if (errcode === undefined || !kind) return error;
  const message = fieldOf(error, 'message');
  return new SqliteError(errcode, message, { violated: describe(database, statement, kind, message) });
};
