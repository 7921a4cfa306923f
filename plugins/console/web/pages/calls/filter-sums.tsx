// What the calls of the filter in force come to: counts and sums, added up while the list is read.
import { api } from '../../app/client.ts'
import { useAsk } from '../../app/query.ts'
import { useViewer } from '../../app/session.tsx'
import { briefCount, count, counted, share } from '../../parts/amounts.ts'
import { names } from '../../parts/class-names.ts'
import { MarginWords } from '../../parts/margin-words.tsx'
import { Money } from '../../parts/money.tsx'
import type { queryOf } from './filter-state.ts'

/** It may take a second, where many calls have to be looked at. */
const EVERY_MS = 60_000

export function FilterSums({ query }: { query: ReturnType<typeof queryOf> }) {
  const { role } = useViewer()
  const { data, isFetching, isPlaceholderData, error } = useAsk(
    ['call-sums', query],
    () => api['call-sums'].get({ query }),
    { every_ms: EVERY_MS },
  )
  if (error) return null
  const is_adding = data === undefined || (isFetching && isPlaceholderData)
  return (
    <p className={names('list-sums', is_adding && 'stale')} role="status" aria-busy={is_adding}>
      {is_adding ? (
        'Adding up…'
      ) : query.outcome === 'refused' ? (
        <RefusedSum refused={data.refused} />
      ) : (
        <>
          <b>{counted(data.calls, 'call')}</b>
          {!!data.refused && <span>{count(data.refused)} refused</span>}
          {data.failed > 0 && (
            <span>
              {count(data.failed)} failed or broke off ({share(data.failed / data.calls)})
            </span>
          )}
          <span>
            {briefCount(data.input_tokens)} tokens in, {briefCount(data.output_tokens)} out
          </span>
          {data.images > 0 && <span>{counted(data.images, 'image')}</span>}
          <span>
            {role === 'operator' ? 'revenue ' : 'cost '}
            <Money nanos={data.cost_nanos} />
          </span>
          {data.margin_nanos !== null && (
            <span>
              margin <Money nanos={data.margin_nanos} /> <MarginWords {...data} />
            </span>
          )}
        </>
      )}
    </p>
  )
}

const RefusedSum = ({ refused }: { refused: number | null }) => (
  <>
    {refused !== null && <b>{count(refused)} refused</b>}
    <span className="soft">All are counted. The list has up to 50 an hour per account, for 30 days.</span>
  </>
)
