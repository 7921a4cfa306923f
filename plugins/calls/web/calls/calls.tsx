// The Calls page: what happened, the newest first, by filters that the address holds.
import { ArrowLeftRight, RotateCcw } from 'lucide-react'
import type { ReactNode } from 'react'
import { type AnswerOf, api, part } from '../../../console/web/app/client.ts'
import { useApi } from '../../../console/web/app/query.ts'
import { useBaseUrl, useViewer, type Viewer } from '../../../console/web/app/session.tsx'
import { RowAccount } from '../../../console/web/parts/account-name.tsx'
import { briefCount, duration } from '../../../console/web/parts/amounts.ts'
import { Button, ButtonLink } from '../../../console/web/parts/button.tsx'
import { samplesOf } from '../../../console/web/parts/code-samples/samples.ts'
import { ExportCsv } from '../../../console/web/parts/export-csv.tsx'
import { useOnlyOwnKey } from '../../../console/web/parts/only-own-key.tsx'
import { Outcome } from '../../../console/web/parts/outcome.tsx'
import { Page } from '../../../console/web/parts/page.tsx'
import { Snippet } from '../../../console/web/parts/snippet.tsx'
import { EmptyState, Loaded } from '../../../console/web/parts/states.tsx'
import { atEnd, type Column, charges, column, Pager, Table } from '../../../console/web/parts/table.tsx'
import { ClockTime, Time } from '../../../console/web/parts/time.tsx'
import { CallFilters, FilterSums, queryOf, useCallFilters } from './filters.tsx'

const EVERY_MS = 15_000

type Calls = AnswerOf<typeof api.calls.get>
type Row = Calls['calls'][number]

export default function CallsPage() {
  const filters = useCallFilters()
  const query = queryOf(filters)
  const is_first = filters.cursor === ''
  const page = { ...query, cursor: is_first ? undefined : filters.cursor }
  const calls = useApi(
    ['calls', page],
    () => api.calls.get({ query: page }),
    is_first ? { every_ms: EVERY_MS } : {},
  )
  const own_key = useOnlyOwnKey()
  return (
    <Page title="Calls" lead={own_key} actions={<ExportCsv list="calls" query={query} />}>
      <CallFilters {...filters} />
      <FilterSums query={query} />
      <Loaded query={calls}>
        {(data) => (
          <CallList {...data} onClear={filters.is_filtered ? filters.clear : undefined} is_first={is_first} />
        )}
      </Loaded>
    </Page>
  )
}

interface CallListProps extends Calls {
  /** Absent where nothing is filtered. */
  onClear: (() => void) | undefined
  is_first: boolean
}

function CallList({ calls, next_cursor, searched_back_to_at_ms, onClear, is_first }: CallListProps) {
  const viewer = useViewer()
  const is_searching = searched_back_to_at_ms !== null
  if (calls.length === 0 && !is_searching && is_first) return <NoCalls onClear={onClear} />
  return (
    <>
      {calls.length > 0 && (
        <Table
          label="Calls"
          columns={columnsFor(viewer)}
          rows={calls}
          keyOf={({ request_id }) => request_id}
          hrefOf={({ request_id }) => `/calls/${part(request_id)}`}
          linkNameOf={({ model, request_id }) => `${model} ${request_id}`}
        />
      )}
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
  const { role } = useViewer()
  if (onClear)
    return (
      <EmptyState
        icon={ArrowLeftRight}
        title="No calls match these filters"
        action={
          <Button icon={RotateCcw} onClick={onClear}>
            Show all calls
          </Button>
        }
      >
        Remove a filter or choose another time.
      </EmptyState>
    )
  return (
    <>
      <EmptyState
        icon={ArrowLeftRight}
        title="No calls yet"
        action={role === 'operator' && <ButtonLink href="/setup">First steps</ButtonLink>}
      >
        Every call and its cost shows up here, and every request that was refused.
      </EmptyState>
      <FirstCall />
    </>
  )
}

/** With a model that the viewer can call; without one there is nothing to paste. */
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

const MODEL: Column<Row> = column('model', 'Model', 'first', ({ model }) => (
  <span className="call-model">{model || 'no model'}</span>
))
/** On a phone with the account, or for an account's people with the key. */
const whenWith = (owner: (row: Row) => ReactNode): Column<Row> =>
  column('started', 'When', 'second', (row) => (
    <>
      <ClockTime at_ms={row.started_at_ms} /> <span className="on-phone">{owner(row)}</span>
    </>
  ))
const WHEN_OF_ALL = whenWith((row) => <RowAccount {...row} />)
const WHEN = whenWith(({ key }) => key)
const ACCOUNT: Column<Row> = column('account', 'Account', 'none', (row) => (
  <>
    <RowAccount {...row} /> <span className="soft">{row.key}</span>
  </>
))
const KEY: Column<Row> = column('key', 'Key', 'none', ({ key }) => key)
const OUTCOME: Column<Row> = column(
  'outcome',
  'Outcome',
  'second-end',
  ({ outcome, status, failed_tries, refusal }) => (
    <>
      <Outcome outcome={outcome} status={status} />
      {refusal !== null && (
        <span className="calls-refusal small soft" title={refusal}>
          {refusal}
        </span>
      )}
      {outcome === 'completed' && !!failed_tries && (
        <span className="small soft"> after {failed_tries} failed</span>
      )}
    </>
  ),
)
const USED: Column<Row> = atEnd('used', 'Tokens in / out', 'none', (call) => used(call))
const TOOK: Column<Row> = atEnd('took', 'Took', 'none', ({ outcome, duration_ms }) =>
  outcome === 'refused' ? <span className="soft">–</span> : duration(duration_ms),
)
const COST: Column<Row> = charges('cost', 'Cost, USD', 'first-end', ({ outcome, cost_nanos }) =>
  outcome === 'refused' ? null : cost_nanos,
)

const columnsFor = ({ role }: Viewer): Column<Row>[] => [
  role === 'operator' ? WHEN_OF_ALL : WHEN,
  MODEL,
  role === 'operator' ? ACCOUNT : KEY,
  OUTCOME,
  USED,
  TOOK,
  COST,
]

function used({ input_tokens, output_tokens, images, estimated }: Row) {
  if (images > 0) return images === 1 ? '1 image' : `${images} images`
  if (input_tokens + output_tokens === 0) return <span className="soft">–</span>
  return `${estimated ? '~' : ''}${briefCount(input_tokens)} / ${briefCount(output_tokens)}`
}
