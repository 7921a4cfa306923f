// The sums by kind of the entries that match the filter.

import { api } from '../../console/web/app/client.ts'
import { count } from '../../console/web/parts/amounts.ts'
import { ListSums } from '../../console/web/parts/list-sums.tsx'
import { Money } from '../../console/web/parts/money.tsx'
import type { ConsoleEntry } from '../list.ts'

const WORDS: Record<ConsoleEntry['kind'], string> = {
  top_up: 'top-ups',
  charge: 'charges',
  debt_payment: 'debt payments',
  withdrawal: 'debits',
}

type Filters = NonNullable<Parameters<(typeof api)['entry-sums']['get']>[0]>['query']

export const EntriesSums = ({ query }: { query: Filters }) => (
  <ListSums subject={['entries', 'sums', query]} call={() => api['entry-sums'].get({ query })}>
    {({ entries, kinds, amount_nanos }) => (
      <>
        <b>{entries === 1 ? '1 entry' : `${count(entries)} entries`}</b>
        {kinds.map((sum) => (
          <span key={sum.kind}>
            {count(sum.entries)} {WORDS[sum.kind]} <Money nanos={sum.amount_nanos} />
          </span>
        ))}
        {kinds.length > 1 && (
          <span>
            total <Money nanos={amount_nanos} />
          </span>
        )}
      </>
    )}
  </ListSums>
)
