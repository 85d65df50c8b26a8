import type { OpenOptions } from '../engine.ts';
import type { Reason, Violated } from '../errors.ts';
import type { Schema } from '../schema.ts';

/** The path of a database that ends with its thread. */
export const IN_MEMORY = ':memory:';

/** A value that a column can hold. */
export type Value = bigint | number | string | Uint8Array | null;

/** A statement and its values. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** Statements with the same text. Values go by column: a few long lists reach a thread in half the time of many short ones. */
export interface Runs {
  readonly sql: string;
  readonly count: number;
  readonly columns: readonly (readonly Value[])[];
}

/** The time in milliseconds, on a clock that all threads have in common. */
export const commonTime = (): number => Number(process.hrtime.bigint()) / 1e6;

/** The file that the thread opens when it starts. */
export interface Opening {
  readonly path: string;
  readonly schema: Schema;
  readonly options: Pick<OpenOptions, 'mustExist' | 'bulk'> & {
    /** Only reads, beside the thread that writes. */
    readonly isReader?: boolean;
  };
}

/** The start data of a thread: the file that it opens, or whose log it moves into the file. */
export type ThreadData =
  | (Opening & {
      /** The URL of the code of threads. */
      readonly code: string;
    })
  | { readonly checkpointed: string };

/** Whatever a thread allocates is garbage by the next batch. */
export const RESOURCES = { maxYoungGenerationSizeMb: 2 };

/** A request to the thread. */
export type Ask =
  | { readonly write: readonly Runs[] }
  | { readonly find: readonly Runs[] }
  /** Runs a statement in a transaction that the sender has numbered. The first one begins it, and sets its deadline. */
  | { readonly transaction: number; readonly run: Statement; readonly until?: number }
  | { readonly transaction: number; readonly end: 'COMMIT' | 'ROLLBACK' }
  | { readonly copyInto: string; readonly count: string }
  | 'check'
  | 'close';

/** Why a request has failed. */
export interface Failure {
  readonly reason: Reason | 'overloaded';
  readonly cause: unknown;
  /** SQLite's result code, if the statement itself is at fault. */
  readonly fault?: number | undefined;
  /** Where a constraint was violated. */
  readonly violated?: Violated | undefined;
}

/** The result of a statement: the number of rows that it has changed, if it gives no rows; its rows; or its failure. */
export type RunResult<Row = unknown> =
  | number
  | { readonly rows: Row[]; readonly changed: number }
  | { readonly failure: Failure };

/** The answer to a request: its result, if it has one, or its failure. The caller knows the type of its rows. */
export interface Answer<Row = unknown> {
  /** Of each statement, in their order. */
  readonly results?: readonly RunResult<Row>[];
  /** Of the statement of a transaction. */
  readonly result?: RunResult<Row>;
  readonly counted?: number;
  readonly failure?: Failure;
}

/** A request on its way to the thread. The sender numbers its requests, since a writer waits for other transactions. */
export interface Request {
  readonly id: number;
  readonly ask: Ask;
}

/** An answer on its way back. */
export interface Reply<Row = unknown> {
  readonly id: number;
  readonly answer: Answer<Row>;
}

/** The number of the reply that the thread sends unasked once the file is open, or cannot be opened. */
export const OPENED = 0;
