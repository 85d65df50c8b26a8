/** Why a store does not serve, in a word. The details are for the log. */
export type Reason = 'unreachable' | 'timeout' | 'full' | 'readonly' | 'busy' | 'failing';

/**
 * The store cannot be reached, or cannot write. The cause is for the log.
 *
 * @example
 * throw new StoreUnavailable('timeout', { cause: error }); // answered with 503
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  readonly reason: Reason;

  constructor(reason: Reason, options?: ErrorOptions) {
    super(`the store is ${reason}`, options);
    this.reason = reason;
  }
}

/**
 * Too many writes wait for the store already. Nothing was tried.
 *
 * @example
 * throw new StoreOverloaded('64 writes are waiting'); // answered with 503
 */
export class StoreOverloaded extends Error {
  override readonly name = 'StoreOverloaded';
}

/** The kind of constraint that a statement has violated. */
export type ConstraintKind = 'unique' | 'foreign key' | 'not null' | 'check';

/** Where a constraint was violated, as far as the database tells. */
export interface Violated {
  /** The name of the constraint, or of the unique index. */
  readonly constraint?: string | undefined;
  /** The table that has the constraint. */
  readonly table?: string | undefined;
  /** The columns of the constraint. */
  readonly columns?: readonly string[] | undefined;
}

/**
 * A constraint of the database has refused a statement, which has changed nothing. The cause is the database's own error.
 *
 * @example
 * if (error instanceof ConstraintViolation && error.kind === 'unique' && error.columns.includes('email'))
 *   return { status: 409, body: problem(40901, 'another account has this email') };
 */
export class ConstraintViolation extends Error implements Violated {
  override readonly name = 'ConstraintViolation';
  readonly kind: ConstraintKind;
  /** The name of the constraint, or of the unique index. SQLite knows only names that the schema gives. */
  readonly constraint: string | undefined;
  /** The table that has the constraint: for a row that others refer to, the table of those. */
  readonly table: string | undefined;
  /** The columns of the constraint; none for a check, and none if a row was to be deleted that others refer to. */
  readonly columns: readonly string[];

  constructor(kind: ConstraintKind, cause: Error, { constraint, table, columns = [] }: Violated = {}) {
    super(cause.message, { cause });
    this.kind = kind;
    this.constraint = constraint;
    this.table = table;
    this.columns = columns;
  }
}

/**
 * The database cannot hold or compare a value that a statement was given: an integer beyond int64, a text with U+0000. A
 * service answers 400 unless the handler catches it. The cause is the database's own error.
 *
 * @example
 * if (error instanceof InvalidValue) return { status: 404, body: problem('noSuchPath', 'there is no such account') };
 */
export class InvalidValue extends Error {
  override readonly name = 'InvalidValue';

  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/** Reads a field of an error as text; empty if the error has no such field. */
export const fieldOf = (error: unknown, name: string): string => {
  const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
  return value === undefined || value === null ? '' : String(value);
};
