// The counts and sums of the calls that match the filter.
import { type AnswerOf, api } from '../../../console/web/app/client.ts'
import { useViewer } from '../../../console/web/app/session.tsx'
import { briefCount, count, counted, share } from '../../../console/web/parts/amounts.ts'
import { ListSums } from '../../../console/web/parts/list-sums.tsx'
import { MarginWords } from '../../../console/web/parts/margin-words.tsx'
import { Money } from '../../../console/web/parts/money.tsx'
import type { queryOf } from './filter-state.ts'

type CallSums = AnswerOf<(typeof api)['call-sums']['get']>

export const FilterSums = ({ query }: { query: ReturnType<typeof queryOf> }) => (
  <ListSums subject={['call-sums', query]} call={() => api['call-sums'].get({ query })}>
    {(sums) => (query.outcome === 'refused' ? <RefusedSum refused={sums.refused} /> : <CallsSum {...sums} />)}
  </ListSums>
)

function CallsSum(sums: CallSums) {
  const { role } = useViewer()
  const { calls, refused, failed, images, margin_nanos } = sums
  return (
    <>
      <b>{counted(calls, 'call')}</b>
      {!!refused && <span>{count(refused)} refused</span>}
      {failed > 0 && (
        <span>
          {count(failed)} failed or broke off ({share(failed / calls)})
        </span>
      )}
      <span>
        {briefCount(sums.input_tokens)} tokens in, {briefCount(sums.output_tokens)} out
      </span>
      {images > 0 && <span>{counted(images, 'image')}</span>}
      <span>
        {role === 'operator' ? 'revenue ' : 'cost '}
        <Money nanos={sums.cost_nanos} />
      </span>
      {margin_nanos !== null && (
        <span>
          margin <Money nanos={margin_nanos} /> <MarginWords {...sums} />
        </span>
      )}
    </>
  )
}

const RefusedSum = ({ refused }: { refused: number | null }) => (
  <>
    {refused !== null && <b>{count(refused)} refused</b>}
    <span className="soft">All are counted. The list has up to 50 an hour per account, for 30 days.</span>
  </>
)
