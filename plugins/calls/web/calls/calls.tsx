// Page with the list of calls, newest first, with filters in the address.
import { useQueryClient } from '@tanstack/react-query'
import { ArrowLeftRight } from 'lucide-react'
import { type AnswerOf, api } from '../../../console/web/app/client.ts'
import { useApi } from '../../../console/web/app/query.ts'
import { useBaseUrl, useMay } from '../../../console/web/app/session.tsx'
import { withoutEmpty } from '../../../console/web/parts/address-state.ts'
import { ButtonLink } from '../../../console/web/parts/button.tsx'
import { samplesOf } from '../../../console/web/parts/code-samples/samples.ts'
import { ExportCsv } from '../../../console/web/parts/export-csv.tsx'
import { useOnlyOwnKeys } from '../../../console/web/parts/only-own-keys.tsx'
import { Page } from '../../../console/web/parts/page.tsx'
import { NoneFound } from '../../../console/web/parts/paged-table.tsx'
import { Snippet } from '../../../console/web/parts/snippet.tsx'
import { EmptyState, Loaded } from '../../../console/web/parts/states.tsx'
import { Pager } from '../../../console/web/parts/table.tsx'
import { Time } from '../../../console/web/parts/time.tsx'
import { RefundCalls } from '../refunds/refund-calls.tsx'
import { CallTable } from './call-table.tsx'
import { CallFilters, FilterSums, queryOf, useCallFilters } from './filters.tsx'
import { NewCalls, useSteadyList } from './new-calls.tsx'

const REFETCH_MS = 5_000

type Calls = AnswerOf<typeof api.calls.get>

export default function CallsPage() {
  const filters = useCallFilters()
  const query = queryOf(filters)
  const is_first = filters.cursor === ''
  const page = { ...query, cursor: is_first ? undefined : filters.cursor }
  const calls = useApi(
    ['calls', page],
    () => api.calls.get({ query: page }),
    is_first ? { every_ms: REFETCH_MS } : {},
  )
  const steady = useSteadyList(JSON.stringify(page), calls.isPlaceholderData ? undefined : calls.data)
  const queries = useQueryClient()
  const load = () => {
    steady.load()
    void queries.invalidateQueries({ queryKey: ['call-sums'] })
  }
  const own_keys = useOnlyOwnKeys()
  const operates = useMay('operate')
  // An unknown outcome in the address chooses nothing: the list has all calls.
  const is_chosen = Object.keys(withoutEmpty(query)).length > 0
  return (
    <Page
      title="Calls"
      lead={own_keys}
      actions={
        <>
          {operates && is_chosen && query.outcome !== 'refused' && <RefundCalls query={query} />}
          <ExportCsv list="calls" query={query} />
        </>
      }
    >
      <CallFilters {...filters} />
      <FilterSums {...filters} />
      <div>
        {is_first && <NewCalls {...steady} load={load} />}
        <Loaded query={calls}>
          {(data) => (
            <CallList
              {...(steady.data ?? data)}
              onClear={filters.is_filtered ? filters.clear : undefined}
              is_first={is_first}
            />
          )}
        </Loaded>
      </div>
    </Page>
  )
}

interface CallListProps extends Calls {
  /** Absent if no filter is set. */
  onClear: (() => void) | undefined
  is_first: boolean
}

function CallList({ calls, next_cursor, searched_back_to_at_ms, onClear, is_first }: CallListProps) {
  const is_searching = searched_back_to_at_ms !== null
  if (calls.length === 0 && !is_searching && is_first) return <NoCalls onClear={onClear} />
  return (
    <>
      {calls.length > 0 && <CallTable calls={calls} />}
      {is_searching && (
        <p className="soft" role="status">
          {calls.length === 0 ? 'No matching calls found so far.' : 'There may be more.'} The search went back
          to <Time at_ms={searched_back_to_at_ms} exact />.
        </p>
      )}
      {calls.length === 0 && !is_searching && <p className="soft">No further calls match.</p>}
      <Pager next_cursor={next_cursor} older={is_searching ? 'Search further back' : 'Older'} />
    </>
  )
}

function NoCalls({ onClear }: Pick<CallListProps, 'onClear'>) {
  const operates = useMay('operate')
  if (onClear) return <NoneFound what="calls" clear={onClear} />
  return (
    <>
      <EmptyState
        icon={ArrowLeftRight}
        title="No calls yet"
        action={operates && <ButtonLink href="/setup">First steps</ButtonLink>}
      >
        Every call and its cost shows up here, and every request that was refused.
      </EmptyState>
      <FirstCall />
    </>
  )
}

/** Sample code of a call; hidden if the viewer can call no text model. */
function FirstCall() {
  const base_url = useBaseUrl()
  const { data } = useApi(['models'], () => api.models.get())
  const model = data?.models.find(({ kind, state }) => kind === 'text' && state === 'served')
  if (!model) return null
  return (
    <>
      <p className="soft">Make your first call with one of your keys:</p>
      <Snippet samples={samplesOf('OpenAI', { base_url, key: 'YOUR_KEY', model: model.id })} />
    </>
  )
}
