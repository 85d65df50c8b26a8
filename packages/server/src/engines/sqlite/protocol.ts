import type { Reason } from '../errors.ts';
import type { OpenOptions } from '../options.ts';
import type { SqliteSchema } from './file.ts';

/** A value that a column can hold. */
export type Value = bigint | number | string | Uint8Array | null;

/** Writes with the same statements. Values go by column: a few long lists reach a thread in half the time of many short ones. */
export interface Writes {
  /** See `SqliteEngine.write`. */
  readonly attempts: readonly string[];
  readonly count: number;
  readonly columns: readonly (readonly Value[])[];
}

/** The file that the thread opens when it starts. */
export interface Opening {
  readonly path: string;
  readonly schema: SqliteSchema;
  readonly options: Pick<OpenOptions, 'mustExist' | 'bulk'>;
}

/** What the thread is asked, one request after the other; `close` is the last. */
export type Ask =
  | { readonly write: readonly Writes[] }
  | { readonly read: string; readonly values: readonly Value[]; readonly characters: number }
  | { readonly copyInto: string; readonly count: string }
  | 'check'
  | 'listen'
  | 'close';

/** The answer to a request: its result, if it has one, or its failure. The thread sends one unasked once the file is open. */
export interface Answer<Row = unknown> {
  /** For each write, in order, the index of the attempt that changed or found a row, or -1. */
  readonly hits?: readonly number[];
  readonly rows?: readonly Row[];
  readonly counted?: number;
  readonly failure?: { readonly reason: Reason; readonly cause: unknown };
  /** The path of a socket at which one other process may connect, and then ask too. */
  readonly socket?: string;
  /** Whether the thread ends with this answer. Only its end makes SQLite release the file and its statements. */
  readonly isLast?: boolean;
}
