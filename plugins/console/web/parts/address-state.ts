// Addresses with a query, and the state of a page that its address holds: filters, range, tab, cursor.
import { useCallback, useMemo } from 'react'
import { navigate, useSearch } from 'wouter/use-browser-location'

/** The fields that are neither undefined nor ''. */
export function withoutEmpty<T extends object>(all: T): { [K in keyof T]?: Exclude<T[K], undefined | ''> } {
  const some = Object.entries(all).filter(([, value]) => value !== undefined && value !== '')
  return Object.fromEntries(some) as { [K in keyof T]?: Exclude<T[K], undefined | ''> }
}

/** An address with a query of the fields that are not empty. */
export function withQuery(
  path: `/${string}`,
  query: Readonly<Record<string, string | undefined>>,
): `/${string}` {
  const text = new URLSearchParams(withoutEmpty(query) as Record<string, string>).toString()
  return text === '' ? path : `${path}?${text}`
}

interface SetOptions {
  /** A step of its own for the browser's back button; otherwise it replaces the address. */
  push?: boolean
}

type AddressChange<Name extends string> = { [N in Name]?: string | undefined }

/**
 * Reads the page's query, and writes it.
 *
 * @param defaults what holds where the address says nothing; a value that equals its default is not written
 * @returns the state, and a function that changes some of it; `undefined` and '' take a value back to its default
 */
export function useAddressState<Name extends string>(
  defaults: Readonly<Record<Name, string>>,
): [Record<Name, string>, (change: AddressChange<Name>, options?: SetOptions) => void] {
  // Wouter's own hook decodes the query before its parts are told apart.
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
