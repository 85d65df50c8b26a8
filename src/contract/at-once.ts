/**
 * Goes on with a value, at once if it is there at once. An await costs a turn of the queue even then, and by the next
 * turn the body of a request has been put aside instead of handed over: that costs more than all of authentication.
 */
export const andThen = <T, R>(value: T | Promise<T>, goOn: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(goOn) : goOn(value);
