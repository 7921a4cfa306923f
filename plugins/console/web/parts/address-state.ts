// The state of a page that its address holds: filters, range, tab, cursor.
import { useCallback, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'

export interface SetOptions {
  /** A step of its own for the browser's back button; otherwise it replaces the address. */
  push?: boolean
}

/**
 * Reads the page's query, and writes it.
 *
 * @param defaults what holds where the address says nothing; a value that equals its default is not written
 * @returns the state, and a function that changes some of it; `undefined` and '' take a value back to its default
 */
export function useAddressState<State extends Record<string, string>>(
  defaults: State,
): [State, (change: { [Name in keyof State]?: string | undefined }, options?: SetOptions) => void] {
  const search = useSearch()
  const [path, go] = useLocation()
  const known = JSON.stringify(defaults)

  const state = useMemo(() => {
    const query = new URLSearchParams(search)
    const all = JSON.parse(known) as State
    return Object.fromEntries(
      Object.entries(all).map(([name, value]) => [name, query.get(name) ?? value]),
    ) as State
  }, [search, known])

  const change = useCallback(
    (some: { [Name in keyof State]?: string | undefined }, { push = false }: SetOptions = {}) => {
      const query = new URLSearchParams(search)
      const all = JSON.parse(known) as State
      for (const [name, value] of Object.entries(some)) {
        if (value === undefined || value === '' || value === all[name]) query.delete(name)
        else query.set(name, value)
      }
      const text = query.toString()
      go(text === '' ? path : `${path}?${text}`, { replace: !push })
    },
    [search, known, path, go],
  )
  return [state, change]
}
