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

/** Reads a field of an error as text; empty if the error has no such field. */
export const fieldOf = (
  error: unknown,
  name: 'code' | 'errcode' | 'message' | 'routine' | 'syscall' | 'systemErrno',
): string =>
  typeof error === 'object' && error !== null && name in error ? String(Reflect.get(error, name)) : '';
