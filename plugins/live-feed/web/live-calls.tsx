// Live calls on the Overview: calls of the feed, followed by the newest calls of the history.
import { CircleDashed } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Link } from 'wouter'
import { api, pathPart } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { RowAccount } from '../../console/web/parts/account-name.tsx'
import { duration } from '../../console/web/parts/amounts.ts'
import { ButtonLink } from '../../console/web/parts/button.tsx'
import { useFilterLists } from '../../console/web/parts/filter-fields.tsx'
import { keyPrefix } from '../../console/web/parts/key-prefix.ts'
import { LIVE_PATH, type LiveEvent, useLive } from '../../console/web/parts/live.ts'
import { Money } from '../../console/web/parts/money.tsx'
import { Outcome } from '../../console/web/parts/outcome.tsx'
import { Section } from '../../console/web/parts/page.tsx'
import { Loaded } from '../../console/web/parts/states.tsx'
import { Status } from '../../console/web/parts/status.tsx'
import { type Column, chargeColumn, column, endColumn, Table } from '../../console/web/parts/table.tsx'
import { ClockTime } from '../../console/web/parts/time.tsx'
import { type Feed, type LiveCall, merged, newestCalls } from './live-state.ts'

const MAX_CALLS = 10
const RENDER_EVERY_MS = 250

export function Live() {
  const { side } = useViewer()
  const recent = useApi(['calls', 'recent'], () =>
    api.calls.get({ query: { outcome: 'call', limit: MAX_CALLS } }),
  )
  const { feed, state } = useFeedState()
  const calls = useMemo(() => newestCalls(feed, recent.data?.calls ?? [], MAX_CALLS), [feed, recent.data])
  const columns =
    side === 'operator'
      ? [MODEL, ACCOUNT, STATE, DURATION, WHEN, COST]
      : [MODEL, KEY, STATE, DURATION, WHEN, COST]
  return (
    <Section
      title="Live calls"
      actions={
        <>
          <Connection state={state} />
          <Link href="/calls">All calls</Link>
        </>
      }
    >
      {calls.length === 0 ? (
        <Loaded query={recent} rows={MAX_CALLS}>
          {() => <NoCalls is_operator={side === 'operator'} />}
        </Loaded>
      ) : (
        <Table
          label="Live calls"
          columns={columns}
          rows={calls}
          keyOf={({ request_id }) => request_id}
          hrefOf={({ request_id }) => `/calls/${pathPart(request_id)}`}
          linkNameOf={({ request_id }) => request_id}
        />
      )}
      {feed.skipped > 0 && (
        <p className="small soft">Too many at once to show each: {feed.skipped} events were skipped.</p>
      )}
    </Section>
  )
}

function NoCalls({ is_operator }: { is_operator: boolean }) {
  const [more, href, label] = is_operator
    ? ['. Start with the first steps.', '/setup', 'First steps']
    : [', with what each cost.', '/start', 'Get started']
  return (
    <>
      <p className="soft">No calls yet. They show up here as they happen{more}</p>
      <div>
        <ButtonLink look="primary" href={href} right={is_operator ? 'operate' : 'call'}>
          {label}
        </ButtonLink>
      </div>
    </>
  )
}

function Connection({ state }: { state: ReturnType<typeof useLive> }) {
  if (state === 'open') return <Status tone="good">live</Status>
  if (state === 'crowded') return <Status tone="warn">not live: too many tabs are open</Status>
  return <Status tone="idle">{state === 'refused' ? 'not live' : 'connecting'}</Status>
}

const NO_CALLS: Feed = { calls: new Map(), skipped: 0 }

/** The calls of the feed, updated a few times a second at most. */
function useFeedState() {
  const [feed, setFeed] = useState(NO_CALLS)
  const waiting = useRef<LiveEvent[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const onEvent = useCallback((event: LiveEvent) => {
    if (event.type === 'ping') return
    waiting.current.push(event)
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      const events = waiting.current
      waiting.current = []
      setFeed((before) => merged(before, events))
    }, RENDER_EVERY_MS)
  }, [])
  const state = useLive<LiveEvent>(LIVE_PATH, onEvent)
  return { feed, state }
}

const MODEL: Column<LiveCall> = column('model', 'Model', 'first', ({ model }) => model)
const ACCOUNT: Column<LiveCall> = column('account', 'Account', 'none', (call) => <RowAccount {...call} />)
const KEY: Column<LiveCall> = column('key', 'Key', 'none', ({ key }) => <KeyName prefix={key} />)
const STATE: Column<LiveCall> = column('state', 'State', 'second-end', (call) => <CallState {...call} />)
const DURATION: Column<LiveCall> = endColumn('took', 'Duration', 'none', ({ duration_ms }) =>
  duration_ms === null ? '' : duration(duration_ms),
)
const WHEN: Column<LiveCall> = column('when', 'When', 'second', (call) => (
  <>
    <ClockTime at_ms={call.at_ms} />{' '}
    <span className="on-phone">
      <OwnerOnPhone call={call} />
    </span>
  </>
))
function OwnerOnPhone({ call }: { call: LiveCall }) {
  const { side } = useViewer()
  return side === 'operator' ? <RowAccount {...call} /> : <KeyName prefix={call.key} />
}

const COST: Column<LiveCall> = chargeColumn(
  'cost',
  'Charge, USD',
  'first-end',
  ({ cost_nanos }) => cost_nanos,
  ({ cost_nanos }, decimals) =>
    cost_nanos === null ? '' : <Money nanos={cost_nanos} decimals={decimals} unit={false} />,
)

function KeyName({ prefix }: { prefix: string }) {
  const { keys } = useFilterLists('')
  return keys.find((key) => key.prefix === prefix)?.name ?? <code>{keyPrefix(prefix)}</code>
}

function CallState({ outcome, status, first_byte_ms }: LiveCall) {
  if (outcome !== null) return <Outcome outcome={outcome} status={status} />
  return first_byte_ms === null ? (
    <Status tone="busy" icon={CircleDashed}>
      held
    </Status>
  ) : (
    <Status tone="busy">answering</Status>
  )
}
