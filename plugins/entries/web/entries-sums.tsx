// Totals of the transactions of a filter, above their list.
import { api } from '../../console/web/app/client.ts'
import { count, countNoun } from '../../console/web/parts/amounts.ts'
import { ListSums } from '../../console/web/parts/list-sums.tsx'
import { Money } from '../../console/web/parts/money.tsx'
import { Time } from '../../console/web/parts/time.tsx'
import type { ConsoleEntry } from '../list.ts'
import { SourceLink } from './source-link.tsx'

export const WORDS: Record<ConsoleEntry['kind'], string> = {
  top_up: 'Top-up',
  charge: 'Charge',
  refund: 'Refund',
  debt_payment: 'Debt payment',
  withdrawal: 'Debit',
}

const PLURALS: Record<ConsoleEntry['kind'], string> = {
  top_up: 'top-ups',
  charge: 'charges',
  refund: 'refunds',
  debt_payment: 'debt payments',
  withdrawal: 'debits',
}

const countOf = (entries: number, kind: ConsoleEntry['kind']): string =>
  entries === 1 ? `1 ${WORDS[kind].toLowerCase()}` : `${count(entries)} ${PLURALS[kind]}`

type SumsQuery = NonNullable<Parameters<(typeof api)['entry-sums']['get']>[0]>['query']

/** For one account, from its opening to its closing balance; without a last day, the closing balance is the current one. */
export const EntriesSums = ({ query }: { query: SumsQuery }) => (
  <ListSums subject={['entries', 'sums', query]} call={() => api['entry-sums'].get({ query })}>
    {({ entries, kinds, amount_nanos, opening_nanos, closing_nanos, opening_debts }) => (
      <>
        <b>{countNoun(entries, 'transaction')}</b>
        {opening_nanos !== null && query?.since !== undefined && (
          <span>
            opening balance <Money nanos={opening_nanos} balance />
          </span>
        )}
        {kinds.map((sum) => (
          <span key={sum.kind}>
            {countOf(sum.entries, sum.kind)} <Money nanos={sum.amount_nanos} />
          </span>
        ))}
        {closing_nanos === null
          ? kinds.length > 1 && (
              <span>
                total <Money nanos={amount_nanos} />
              </span>
            )
          : entries > 0 && (
              <span>
                {query?.until === undefined ? 'balance' : 'closing balance'}{' '}
                <Money nanos={closing_nanos} balance />
              </span>
            )}
        {opening_debts.map((debt) => (
          <span key={debt.created_at_ms}>
            <Money nanos={debt.amount_nanos} />{' '}
            {debt.source === null ? 'debt from before the import' : 'debt'}
            {debt.note !== '' && (
              <>
                , <SourceLink {...debt}>{debt.note}</SourceLink>
              </>
            )}{' '}
            (<Time at_ms={debt.created_at_ms} />)
          </span>
        ))}
      </>
    )}
  </ListSums>
)
