// Objects without undefined fields, for code that distinguishes absent fields from undefined ones.

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** @returns a copy without the undefined fields; null counts as a value */
export function defined<T extends object>(fields: T): Defined<T> {
  const kept: Defined<T> = {}
  for (const name in fields)
    if (fields[name] !== undefined) kept[name] = fields[name] as Exclude<T[typeof name], undefined>
  return kept
}
