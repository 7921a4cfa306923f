// Work on a value that may be there already: it then goes on in the same turn, and nothing is awaited.

/** What `next` makes of the value: at once where the value is there, else a promise of it. */
export const after = <T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(next) : next(value)
