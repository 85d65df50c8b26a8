import { createHash } from 'node:crypto';

/** One step of the schema: SQL that both databases understand, or SQL for each. */
export type Migration = string | { readonly sqlite: string; readonly postgres: string };

/** The schema of the data, as the steps that lead to it. */
export interface DataSchema {
  /** The kind of data, in a word or two. It marks the files and the store's own tables, so do not change it. */
  readonly name: string;
  /** Marks the files of SQLite that hold this data, if the number that is made of `name` shall not. */
  readonly applicationId?: number;
  /** The steps, in their order. A step that has run somewhere is never edited or removed: add another. */
  readonly migrations: readonly Migration[];
}

const idOf = (name: string): number => createHash('sha256').update(name).digest().readInt32BE() & 0x7fffffff;

/** The schema for SQLite. Files of another program, or of data with another name, are refused by their application id. */
export const toSqliteSchema = ({ name, migrations, applicationId = idOf(name) }: DataSchema) => ({
  name,
  applicationId,
  steps: migrations.map((step) => (typeof step === 'string' ? step : step.sqlite)),
});

/** The schema for PostgreSQL. */
export const toPostgresSchema = ({ name, migrations }: DataSchema) => ({
  name,
  namespace: name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replace(/^(?=\d|$)/, '_'), // no name in SQL begins with a digit
  steps: migrations.map((step) => (typeof step === 'string' ? step : step.postgres)),
});
