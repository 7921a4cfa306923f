// Work on a value or a promise of one: with a value it runs in the same turn, without awaiting.

/** Applies `next` to the value: synchronously if it is no promise, otherwise after it resolves. */
export const after = <T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(next) : next(value)
