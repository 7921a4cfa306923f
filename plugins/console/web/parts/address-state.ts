// State of a page in the query of its address: filters, range, tab, cursor.
import { useCallback, useMemo } from 'react'
import { navigate, useSearch } from 'wouter/use-browser-location'

/** Returns the fields that are neither undefined nor ''. */
export function withoutEmpty<T extends object>(all: T): { [K in keyof T]?: Exclude<T[K], undefined | ''> } {
  const some = Object.entries(all).filter(([, value]) => value !== undefined && value !== '')
  return Object.fromEntries(some) as { [K in keyof T]?: Exclude<T[K], undefined | ''> }
}

/** Returns a path with a query of the non-empty fields. */
export function withQuery(
  path: `/${string}`,
  query: Readonly<Record<string, string | undefined>>,
): `/${string}` {
  const text = new URLSearchParams(withoutEmpty(query) as Record<string, string>).toString()
  return text === '' ? path : `${path}?${text}`
}

interface SetOptions {
  /** Adds an entry to the browser's history instead of replacing the current one. */
  push?: boolean
}

type AddressChange<Name extends string> = { [N in Name]?: string | undefined }

/**
 * Reads and changes the page's query.
 *
 * @param defaults values of parameters that the address does not have; a value that equals its default is not written
 * @returns the state, and a function that changes a part of it; `undefined` and '' reset a value to its default
 */
export function useAddressState<Name extends string>(
  defaults: Readonly<Record<Name, string>>,
): [Record<Name, string>, (change: AddressChange<Name>, options?: SetOptions) => void] {
  // Not wouter's useSearch: it decodes the query before the parameters are separated.
  const search = useSearch()
  const known = JSON.stringify(defaults)

  const state = useMemo(() => {
    const query = new URLSearchParams(search)
    const all = Object.entries<string>(JSON.parse(known))
    return Object.fromEntries(all.map(([name, value]) => [name, query.get(name) ?? value])) as Record<
      Name,
      string
    >
  }, [search, known])

  const change = useCallback(
    (some: AddressChange<Name>, { push = false }: SetOptions = {}) => {
      const query = new URLSearchParams(location.search)
      const all: Record<string, string> = JSON.parse(known)
      for (const [name, value] of Object.entries<string | undefined>(some)) {
        if (value === undefined || value === '' || value === all[name]) query.delete(name)
        else query.set(name, value)
      }
      const text = query.toString()
      navigate(text === '' ? location.pathname : `${location.pathname}?${text}`, { replace: !push })
    },
    [known],
  )
  return [state, change]
}
