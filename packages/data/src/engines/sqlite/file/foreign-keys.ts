import type { DatabaseSyncInstance as Database } from '@photostructure/sqlite';
import type { Statement } from '../protocol.ts';

interface ForeignKey {
  readonly table: string;
  readonly columns: readonly string[];
  readonly parent: string;
  readonly parentColumns: readonly string[];
}

/** A key without columns of the parent refers to its primary key. */
const FOREIGN_KEYS = `SELECT tables.name AS "table", key."table" AS parent,
    json_group_array(key."from" ORDER BY key.seq) AS columns,
    CASE WHEN max(key."to") IS NOT NULL THEN json_group_array(key."to" ORDER BY key.seq) ELSE
      (SELECT json_group_array(name ORDER BY pk) FROM pragma_table_info(key."table") WHERE pk > 0) END AS parents
  FROM sqlite_schema AS tables, pragma_foreign_key_list(tables.name) AS key
  WHERE tables.type = 'table' GROUP BY tables.name, key.id ORDER BY tables.name, key.id`;

const namesIn = (json: unknown): string[] => {
  const names: unknown = JSON.parse(String(json));
  return Array.isArray(names) ? names.map(String) : [];
};

const readForeignKeys = (database: Database): ForeignKey[] =>
  database
    .prepare(FOREIGN_KEYS)
    .all()
    .map(({ table, parent, columns, parents }) => ({
      table: String(table),
      parent: String(parent),
      columns: namesIn(columns),
      parentColumns: namesIn(parents),
    }));

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Whether a written row refers to a row that is not there. */
const dangles = ({ table, columns, parent, parentColumns }: ForeignKey): string => {
  const own = columns.map((column) => `${quote(table)}.${quote(column)}`);
  const pairs = own.map((column, index) => `parent.${quote(parentColumns[index] ?? '')} = ${column}`);
  const isWhole = own.map((column) => `${column} IS NOT NULL`).join(' AND ');
  return `${isWhole} AND NOT EXISTS (SELECT 1 FROM ${quote(parent)} AS parent WHERE ${pairs.join(' AND ')})`;
};

const RETURNING = /\bRETURNING\b(?![\s\S]*\bRETURNING\b)[\s\S]*$/i;

/** Runs the statement again without enforcing its keys, and undoes it: finds the key by the rows that it writes. */
const findDangling = (
  database: Database,
  { sql, values }: Statement,
  keys: readonly ForeignKey[],
): ForeignKey | undefined => {
  const cases = keys.map((key, index) => `WHEN ${dangles(key)} THEN ${index}`).join(' ');
  database.exec('SAVEPOINT violated; PRAGMA defer_foreign_keys = ON');
  try {
    const probe = database.prepare(`${sql.replace(RETURNING, '')} RETURNING CASE ${cases} END AS key`);
    const row = probe.all(...values).find(({ key }) => key !== null);
    return row && keys[Number(row.key)];
  } catch {
    return undefined; // a statement that cannot return anything else
  } finally {
    database.exec('ROLLBACK TO violated; RELEASE violated; PRAGMA defer_foreign_keys = OFF');
  }
};

const isNamed = (name: string, other: string): boolean => name.toLowerCase() === other.toLowerCase();

/**
 * The foreign key that a statement has violated: the key of a row that it wrote, or else the key by which rows of another
 * table refer to a row that it removed. Which of several tables these are in SQLite does not tell.
 */
export const violatedForeignKey = (
  database: Database,
  statement: Statement,
  target: string,
): Partial<ForeignKey> => {
  if (!database.isTransaction) return {};
  const keys = readForeignKeys(database);
  const own = keys.filter(({ table }) => isNamed(table, target));
  const dangling = own.length > 0 ? findDangling(database, statement, own) : undefined;
  if (dangling) return dangling;
  const tables = new Set(keys.filter(({ parent }) => isNamed(parent, target)).map(({ table }) => table));
  const [table, another] = tables;
  return table !== undefined && another === undefined ? { table } : {};
};
