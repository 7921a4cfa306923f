// What the entries of the filter in force come to, by kind; added up while the list is read.
import type { EntriesAsked, ShownEntry } from '../../api/entries.ts'
import { api } from '../app/client.ts'
import { useAsk } from '../app/query.ts'
import { count } from './amounts.ts'
import { names } from './class-names.ts'
import { Money } from './money.tsx'

const WORDS: Record<ShownEntry['kind'], string> = {
  top_up: 'top-ups',
  charge: 'charges',
  debt_payment: 'debt payments',
  withdrawal: 'debits',
}

/** It may take a second, where many entries have to be looked at. */
const EVERY_MS = 60_000

export function EntriesSums({
  query,
}: {
  query: Pick<EntriesAsked, 'account' | 'kind' | 'since' | 'until'>
}) {
  const { data, isFetching, isPlaceholderData, error } = useAsk(
    ['entries', 'sums', query],
    () => api['entry-sums'].get({ query }),
    { every_ms: EVERY_MS },
  )
  if (error) return null
  const is_adding = data === undefined || (isFetching && isPlaceholderData)
  return (
    <p className={names('list-sums', is_adding && 'stale')} role="status" aria-busy={is_adding}>
      {is_adding ? (
        'Adding up…'
      ) : (
        <>
          <b>{data.entries === 1 ? '1 entry' : `${count(data.entries)} entries`}</b>
          {data.kinds.map(({ kind, entries, amount_nanos }) => (
            <span key={kind}>
              {count(entries)} {WORDS[kind]} <Money nanos={amount_nanos} />
            </span>
          ))}
          {data.kinds.length > 1 && (
            <span>
              total <Money nanos={data.amount_nanos} />
            </span>
          )}
        </>
      )}
    </p>
  )
}
