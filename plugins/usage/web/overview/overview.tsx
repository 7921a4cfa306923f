// The Overview: is it working, what does it earn, and who calls at the moment; for an account, of its own calls.

import { OpenAlerts } from '../../../alerts/web/open-alerts.tsx'
import { api } from '../../../console/web/app/client.ts'
import { useApi } from '../../../console/web/app/query.ts'
import { useViewer } from '../../../console/web/app/session.tsx'
import { useAddressState } from '../../../console/web/parts/address-state.ts'
import { count, duration, share } from '../../../console/web/parts/amounts.ts'
import { Choices } from '../../../console/web/parts/choices.tsx'
import { Figure, Figures } from '../../../console/web/parts/figure.tsx'
import { MarginFigure } from '../../../console/web/parts/margin-words.tsx'
import { Money } from '../../../console/web/parts/money.tsx'
import { Page } from '../../../console/web/parts/page.tsx'
import { Loaded, Skeleton } from '../../../console/web/parts/states.tsx'
import { FirstVisit } from '../../../first-steps/web/first-visit.tsx'
import { FailingRoutes } from '../../../health/web/failing.tsx'
import { FailingNow } from '../../../health/web/failing-now.tsx'
import { Live } from '../../../live-feed/web/live-calls.tsx'
import { type Refusals, useRefusals } from '../../../refusals/web/refusals.ts'
import { ManyRefused, RefusedFigure, RefusedRequests } from '../../../refusals/web/refused.tsx'
import { EndingModels, KeysNearLimit, LowAccounts } from './attention.tsx'
import { OverviewCharts } from './charts.tsx'
import type { Overview } from './overview-answer.ts'
import { TopParts } from './top.tsx'

const EVERY_MS = 15_000
const RANGES = [
  { value: 'hour', label: 'Hour' },
  { value: 'day', label: 'Day' },
  { value: 'week', label: 'Week' },
  { value: 'month', label: 'Month' },
] as const
type Range = (typeof RANGES)[number]['value']

export default function OverviewPage() {
  return (
    <FirstVisit>
      <CallsInRange />
    </FirstVisit>
  )
}

function CallsInRange() {
  const { role } = useViewer()
  const [state, change] = useAddressState({ range: 'day' })
  const range: Range = RANGES.find(({ value }) => value === state.range)?.value ?? 'day'
  const overview = useApi(['overview', range], () => api.overview.get({ query: { range } }), {
    every_ms: EVERY_MS,
  })
  const refusals = useRefusals({ range })
  const is_known = (overview.data || overview.error) && !refusals.isPending
  return (
    <Page
      title="Overview"
      lead={LEADS[range]}
      actions={
        <Choices
          label="Range"
          options={RANGES}
          value={range}
          onChange={(value) => change({ range: value })}
        />
      }
    >
      {role !== 'operator' && is_known && <KeysNearLimit />}
      {is_known ? (
        <Loaded query={overview}>{(data) => <Known overview={data} refusals={refusals.data} />}</Loaded>
      ) : (
        <Skeleton rows={12} />
      )}
      {/* Not before what stands above it, which would push it down. */}
      {is_known && <Live />}
      {overview.data && role === 'operator' && <LowAccounts />}
    </Page>
  )
}

const LEADS: Readonly<Record<Range, string>> = {
  hour: 'The last 60 minutes, against the 60 before.',
  day: 'The last 24 hours, against the 24 before.',
  week: 'The last 7 days (UTC), today included, against the 7 before.',
  month: 'The last 30 days (UTC), today included, against the 30 before.',
}

function Known({ overview, refusals }: { overview: Overview; refusals: Refusals | undefined }) {
  const { totals, before, money, failing, alerts, ending } = overview
  const { role } = useViewer()
  return (
    <div className="page">
      <FailingNow />
      {alerts && <OpenAlerts alerts={alerts} />}
      {role !== 'operator' && <ManyRefused refusals={refusals} />}
      <Figures>
        {money && (
          <Figure
            label="Balance"
            value={<Money nanos={money.available_nanos} balance />}
            note={<BalanceNote {...money} />}
          />
        )}
        <Figure
          label={role === 'operator' ? 'Revenue' : 'Spent'}
          value={<Money nanos={totals.cost_nanos} />}
          change={changeOf(totals.cost_nanos, before.cost_nanos)}
          good={role === 'operator' ? 'up' : undefined}
        />
        <MarginFigure sum={totals} />
        <Figure label="Calls" value={count(totals.calls)} change={changeOf(totals.calls, before.calls)} />
        <Figure
          label="Failed or broke off"
          value={totals.calls === 0 ? '–' : share(totals.failed / totals.calls)}
          note={<FailedNote totals={totals} before={before} />}
        />
        <RefusedFigure refusals={refusals} />
        <Figure
          label="Time to first byte, median"
          value={totals.first_byte_p50_ms === null ? '–' : duration(totals.first_byte_p50_ms)}
          change={changeOf(totals.first_byte_p50_ms, before.first_byte_p50_ms)}
          good="down"
        />
      </Figures>
      {totals.calls === 0 ? (
        <p className="soft">No calls in this range.</p>
      ) : (
        <>
          <OverviewCharts overview={overview} />
          <TopParts top={overview.top} />
        </>
      )}
      <RefusedRequests refusals={refusals} />
      {failing && totals.calls > 0 && <FailingRoutes {...failing} />}
      {ending && <EndingModels ending={ending} />}
    </div>
  )
}

/** As a share of what was before; null if there is nothing to compare. */
const changeOf = (now: number | null, before: number | null): number | null =>
  now === null || before === null || before === 0 ? null : now / before - 1

const BalanceNote = ({ held_nanos, debt_nanos }: NonNullable<Overview['money']>) => {
  if (debt_nanos > 0)
    return (
      <span className="tone-bad">
        <Money nanos={debt_nanos} /> owed
      </span>
    )
  return held_nanos > 0 ? (
    <span>
      <Money nanos={held_nanos} /> held for running calls
    </span>
  ) : (
    'free to spend'
  )
}

const FailedNote = ({ totals, before }: Pick<Overview, 'totals' | 'before'>) => {
  const was = before.calls === 0 ? '' : `, ${share(before.failed / before.calls)} before`
  return `${count(totals.failed)} of ${count(totals.calls)}${was}`
}
