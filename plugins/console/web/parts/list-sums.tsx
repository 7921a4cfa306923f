// Totals of a list's rows, above the list: queried separately, because they can take longer.
import type { ReactNode } from 'react'
import type { Answer } from '../app/client.ts'
import { useApi } from '../app/query.ts'
import { classNames } from './class-names.ts'

/** Rarely, because adding up many rows may take a second. */
const REFETCH_MS = 60_000

interface ListSumsProps<A extends Answer> {
  /** The query key for `useApi`, with the current filters. */
  subject: readonly unknown[]
  call: () => Promise<A>
  children: (sums: NonNullable<A['data']>) => ReactNode
}

export function ListSums<A extends Answer>({ subject, call, children }: ListSumsProps<A>) {
  const { data, isFetching, isPlaceholderData, error } = useApi(subject, call, { every_ms: REFETCH_MS })
  if (error) return null
  const is_adding = data === undefined || (isFetching && isPlaceholderData)
  return (
    <p className={classNames('list-sums', is_adding && 'stale')} role="status" aria-busy={is_adding}>
      {is_adding ? 'Adding up…' : children(data)}
    </p>
  )
}
