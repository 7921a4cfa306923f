// An object without its fields that have no value, for who tells an absent field from one that is undefined.

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** @returns a copy with the fields that are not undefined; null is a value */
export function defined<T extends object>(fields: T): Defined<T> {
  const kept: Defined<T> = {}
  for (const name in fields)
    if (fields[name] !== undefined) kept[name] = fields[name] as Exclude<T[typeof name], undefined>
  return kept
}
