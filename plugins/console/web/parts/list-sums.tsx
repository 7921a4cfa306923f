// What the rows of a list come to, above it: added up while the list is read.
import type { ReactNode } from 'react'
import type { Answer } from '../app/client.ts'
import { useApi } from '../app/query.ts'
import { names } from './class-names.ts'

/** It may take a second, where many rows have to be looked at. */
const EVERY_MS = 60_000

interface ListSumsProps<A extends Answer> {
  /** As of `useApi`: with the filter in force. */
  subject: readonly unknown[]
  call: () => Promise<A>
  children: (sums: NonNullable<A['data']>) => ReactNode
}

export function ListSums<A extends Answer>({ subject, call, children }: ListSumsProps<A>) {
  const { data, isFetching, isPlaceholderData, error } = useApi(subject, call, { every_ms: EVERY_MS })
  if (error) return null
  const is_adding = data === undefined || (isFetching && isPlaceholderData)
  return (
    <p className={names('list-sums', is_adding && 'stale')} role="status" aria-busy={is_adding}>
      {is_adding ? 'Adding up…' : children(data)}
    </p>
  )
}
