import { createHash } from 'node:crypto';

/** The kinds of databases. */
export type DatabaseKind = 'sqlite' | 'postgres';

/** The schema of the data, as the steps that lead to it. */
export interface DataSchema {
  /** The kind of data, in a word or two. It marks the files and the store's own tables, so do not change it. */
  readonly name: string;
  /** Marks the files of SQLite that hold this data, if the number that is made of `name` shall not. */
  readonly applicationId?: number;
  /**
   * The steps, in their order: SQL that both databases understand, or SQL for each. A step that has run somewhere is never
   * edited or removed: add another.
   */
  readonly migrations: readonly (string | Readonly<Record<DatabaseKind, string>>)[];
}

const idOf = (name: string): number => createHash('sha256').update(name).digest().readInt32BE() & 0x7fffffff;

/** Derives the schema for a kind of database. */
export const toSchema = (
  { name, migrations, applicationId = idOf(name) }: DataSchema,
  kind: DatabaseKind,
) => ({
  /** The kind of data, for messages: "it holds no …". */
  name,
  /** Marks the files of SQLite: files of another program, or of data with another name, are refused. */
  applicationId,
  /** Prefix of the names in PostgreSQL that belong to the store: the table NAMESPACE_schema, and its messages. */
  namespace: name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replace(/^(?=\d|$)/, '_'), // no name in SQL begins with a digit
  /** SQL, one step per version: a database of version n has had the first n steps. */
  steps: migrations.map((step) => (typeof step === 'string' ? step : step[kind])),
});

/** The schema of a store, for its kind of database. */
export type Schema = Readonly<ReturnType<typeof toSchema>>;

/** Identifies the text of a step of a schema. */
export const hashStep = (step: string): string => createHash('sha256').update(step).digest('hex');

/**
 * Throws if a step was edited after it had run. `hashes` has one hash for each step that has run, in order; `undefined`
 * for a step that ran before hashes were recorded.
 */
export const checkSteps = (steps: readonly string[], hashes: readonly (string | undefined)[]): void => {
  for (const [index, step] of steps.slice(0, hashes.length).entries())
    if (hashes[index] !== undefined && hashes[index] !== hashStep(step))
      throw new Error(
        `step ${index + 1} of the schema was edited after it had run; restore it, and add the change as a new last step`,
      );
};
