// What is given of a query: filters that are empty are left out of it.

/** The same without what is undefined or ''. */
export function given<T extends object>(all: T): { [K in keyof T]?: Exclude<T[K], undefined | ''> } {
  const some = Object.entries(all).filter(([, value]) => value !== undefined && value !== '')
  return Object.fromEntries(some) as { [K in keyof T]?: Exclude<T[K], undefined | ''> }
}

/** An address with what is given of its query. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const text = new URLSearchParams(given(query) as Record<string, string>).toString()
  return text === '' ? path : `${path}?${text}`
}
