/**
 * Continues with a value, at once if it is not a promise. An await would cost a turn of the microtask queue even then, and
 * by the next turn Node has buffered the body of the request instead of passing it on: that costs more than all of
 * authentication.
 */
export const andThen = <T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(next) : next(value);
