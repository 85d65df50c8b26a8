/** Why a store does not serve, in a word. The details are for the log. */
export type Reason = 'unreachable' | 'timeout' | 'full' | 'readonly' | 'busy' | 'failing';

/** The store cannot be reached, or cannot write. The cause is for the log. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  readonly reason: Reason;

  constructor(reason: Reason, options?: ErrorOptions) {
    super(`the store is ${reason}`, options);
    this.reason = reason;
  }
}

/** Too many writes wait for the store already. Nothing was tried. */
export class StoreOverloaded extends Error {
  override readonly name = 'StoreOverloaded';
}

/** What the constraint demands that a statement has violated. */
export type ConstraintKind = 'unique' | 'foreign key' | 'not null' | 'check';

/** A constraint of the database has refused a statement, which has changed nothing. The cause is the database's own error. */
export class ConstraintViolation extends Error {
  override readonly name = 'ConstraintViolation';
  readonly kind: ConstraintKind;

  constructor(kind: ConstraintKind, cause: Error) {
    super(cause.message, { cause });
    this.kind = kind;
  }
}

/** Reads a field of an error as text; empty if the error has no such field. */
export const fieldOf = (
  error: unknown,
  name: 'code' | 'errcode' | 'message' | 'routine' | 'syscall' | 'systemErrno',
): string =>
  typeof error === 'object' && error !== null && name in error ? String(Reflect.get(error, name)) : '';
