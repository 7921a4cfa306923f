// Page Overview: failures, revenue and current calls; for an account its own calls and spending.
import type { ReactNode } from 'react'
import { OpenAlerts } from '../../alerts/web/open-alerts.tsx'
import { FailedFigure } from '../../calls/web/failed/failed.tsx'
import { api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { inZone } from '../../console/web/app/zone.ts'
import { briefCount, count, countNoun, duration, share } from '../../console/web/parts/amounts.ts'
import { ButtonLink } from '../../console/web/parts/button.tsx'
import { changeOf, Figure, Figures } from '../../console/web/parts/figure.tsx'
import { partlyKnown } from '../../console/web/parts/margin-words.tsx'
import { Money } from '../../console/web/parts/money.tsx'
import { useOnlyOwnKeys } from '../../console/web/parts/only-own-keys.tsx'
import { Page } from '../../console/web/parts/page.tsx'
import { NoneFound } from '../../console/web/parts/paged-table.tsx'
import { EmptyState, Loaded, Skeleton } from '../../console/web/parts/states.tsx'
import { dayWords } from '../../console/web/parts/time-words.ts'
import { FirstVisit } from '../../first-steps/web/first-visit.tsx'
import { FailingNow, useHealthNow } from '../../health/web/failing-now.tsx'
import { HistoryLink } from '../../import/web/history-list.tsx'
import { Live } from '../../live-feed/web/live-calls.tsx'
import { AddFundsLink } from '../../payments/web/add-funds-link.tsx'
import { LowBalance, useIsLowBalanceAwaited } from '../../payments/web/low-balance.tsx'
import { type Refusals, useRefusals } from '../../refusals/web/refusals.ts'
import { ManyRefused, RefusedFigure, RefusedRequests } from '../../refusals/web/refused.tsx'
import { EndingModels, KeysNearLimit, LowAccounts } from './attention.tsx'
import { Breakdown } from './breakdown.tsx'
import { type Overview, OverviewCharts } from './charts.tsx'
import { isoTime, type OverviewFilters, RangeAndFilters, useOverviewFilters } from './filters.tsx'
import { BelowCost } from './resale.tsx'

const EVERY_MS = 15_000

export default function OverviewPage() {
  return (
    <FirstVisit>
      <CallsInRange />
    </FirstVisit>
  )
}

function CallsInRange() {
  const { side } = useViewer()
  const own_keys = useOnlyOwnKeys()
  const filters = useOverviewFilters()
  const { query } = filters
  const overview = useApi(['overview', query], () => api.overview.get({ query }), { every_ms: EVERY_MS })
  const refusals = useRefusals({ ...query, key_id: query.key })
  const health = useHealthNow()
  /** Whether one of the two answers is still that of the previous filter. */
  const isPlaceholderData = overview.isPlaceholderData || refusals.isPlaceholderData
  const is_low_awaited = useIsLowBalanceAwaited()
  const is_known =
    (overview.data || overview.error) && !refusals.isPending && !health.isPending && !is_low_awaited
  return (
    <Page
      title="Overview"
      lead={own_keys ?? (overview.data && leadOf(overview.data))}
      actions={
        !own_keys && (
          <>
            <HistoryLink account={filters.filters.account} />
            <AddFundsLink />
          </>
        )
      }
    >
      {side === 'account' && !own_keys && is_known && <LowBalance money={overview.data?.money} />}
      {side !== 'operator' && !own_keys && is_known && <KeysNearLimit />}
      {is_known ? (
        <>
          <FailingNow />
          {overview.data?.alerts && <OpenAlerts alerts={overview.data.alerts} />}
          {side !== 'operator' && <ManyRefused refusals={refusals.data} />}
          <RangeAndFilters {...filters} />
          <Loaded query={{ ...overview, isPlaceholderData }}>
            {(data) => <OverviewContent overview={data} refusals={refusals.data} filters={filters} />}
          </Loaded>
        </>
      ) : (
        <Skeleton rows={12} />
      )}
      {/* Rendered after the content above it, which would otherwise shift it. */}
      {is_known && <Live />}
      {is_known && overview.data && side === 'operator' && <LowAccounts />}
    </Page>
  )
}

/** "1 Nov – 29 Nov (UTC), compared with 1 Oct – 29 Oct." */
const leadOf = ({ from_at_ms, until_at_ms, before_from_at_ms, before_until_at_ms }: Overview): string =>
  `${inZone(daysOf(from_at_ms, until_at_ms))}, compared with ${daysOf(before_from_at_ms, before_until_at_ms)}.`

function daysOf(from_ms: number, until_ms: number): string {
  const [first, last] = [dayWords(from_ms), dayWords(until_ms - 1)]
  return first === last ? first : `${first} – ${last}`
}

interface OverviewContentProps {
  overview: Overview
  refusals: Refusals | undefined
  filters: OverviewFilters
}

function OverviewContent({ overview, refusals, filters }: OverviewContentProps) {
  const { totals, ending, from_at_ms, until_at_ms } = overview
  const { account, key, model, provider } = filters.calls
  // Refused requests are counted by account and key only.
  const counts_refused = model === undefined && provider === undefined
  const refused = {
    refusals,
    account,
    key_id: key,
    since: isoTime(from_at_ms),
    until: isoTime(until_at_ms),
  }
  return (
    <div className="page">
      <OverviewFigures
        {...{ overview, filters }}
        refused={counts_refused && <RefusedFigure {...refused} />}
      />
      {totals.calls === 0 ? (
        <NoCalls {...filters} />
      ) : (
        <>
          <OverviewCharts overview={overview} calls={filters.calls} />
          <Breakdown overview={overview} filters={filters} />
          <BelowCost overview={overview} calls={filters.calls} />
        </>
      )}
      {counts_refused && <RefusedRequests {...refused} />}
      {ending && <EndingModels ending={ending} />}
    </div>
  )
}

interface FiguresProps extends Pick<OverviewContentProps, 'overview' | 'filters'> {
  refused: ReactNode
}

function OverviewFigures({ overview, refused, filters: { query } }: FiguresProps) {
  const { totals, before, money, resale } = overview
  const tokens = (sum: Overview['totals']) => sum.input_tokens + sum.output_tokens
  return (
    <Figures>
      {money && (
        <Figure
          label="Balance"
          value={<Money nanos={money.available_nanos} balance />}
          note={<BalanceNote {...money} />}
        />
      )}
      {totals.spent_nanos !== undefined && (
        <Figure
          label="Spent"
          value={<Money nanos={totals.spent_nanos} />}
          change={changeOf(totals.spent_nanos, before.spent_nanos)}
        />
      )}
      {resale && <Earnings {...overview} />}
      {resale?.plans && <PlansFigure {...resale.plans} />}
      {resale?.payment_fees && <AfterFees {...resale.payment_fees} />}
      <Figure
        label={query.provider ? 'Calls answered' : 'Calls'}
        value={count(totals.calls)}
        change={changeOf(totals.calls, before.calls)}
      />
      <FailedFigure label={query.provider ? 'Failed, of calls tried' : 'Failed'} {...query} />
      {refused}
      <Figure
        label="Tokens"
        value={briefCount(tokens(totals))}
        change={changeOf(tokens(totals), tokens(before))}
      />
      {totals.first_byte_p50_ms !== null && (
        <Figure
          label="Time to first byte, median"
          value={duration(totals.first_byte_p50_ms)}
          change={changeOf(totals.first_byte_p50_ms, before.first_byte_p50_ms)}
          good="down"
        />
      )}
      {resale && (
        <>
          <Figure
            label="Balances of accounts"
            value={<Money nanos={resale.owed_nanos} balance />}
            note="paid in and not spent"
          />
          <Figure
            label="Debts"
            value={<Money nanos={resale.debts_nanos} />}
            note={resale.debtors === 0 ? 'none' : `of ${countNoun(resale.debtors, 'account')}`}
          />
        </>
      )}
    </Figures>
  )
}

function Earnings({ totals, before }: Pick<Overview, 'totals' | 'before'>) {
  const { revenue_nanos = 0, provider_cost_nanos = null, margin_nanos = null, margin_percent } = totals
  const of_part = partlyKnown(totals)
  return (
    <>
      <Figure
        label="Revenue"
        value={<Money nanos={revenue_nanos} />}
        change={changeOf(revenue_nanos, before.revenue_nanos)}
        good="up"
      />
      <Figure
        label="Cost"
        value={<Money nanos={provider_cost_nanos} />}
        change={changeOf(provider_cost_nanos, before.provider_cost_nanos)}
        good="down"
      />
      <Figure
        label={of_part || margin_percent == null ? 'Margin' : `Margin, ${share(margin_percent / 100)}`}
        value={<Money nanos={margin_nanos} />}
        change={changeOf(margin_nanos, before.margin_nanos)}
        good="up"
        note={of_part}
      />
    </>
  )
}

type Resale = NonNullable<Overview['resale']>

/** The fees of plans and the cost of covered calls, which are included in revenue, cost and margin. */
const PlansFigure = ({ fees_nanos, calls, provider_cost_nanos }: NonNullable<Resale['plans']>) => (
  <Figure
    label="Revenue from plans"
    value={<Money nanos={fees_nanos} />}
    note={
      <span>
        {countNoun(calls, 'covered call')} cost <Money nanos={provider_cost_nanos} />
      </span>
    }
  />
)

const AfterFees = ({ margin_nanos, amount_nanos, unknown }: NonNullable<Resale['payment_fees']>) => (
  <Figure
    label="Margin after payment fees"
    value={<Money nanos={margin_nanos} />}
    note={
      <span>
        <Money nanos={amount_nanos} /> fees{unknown > 0 && `; ${countNoun(unknown, 'payment')} without one`}
      </span>
    }
  />
)

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

const NoCalls = ({ is_free, calls, clear }: OverviewFilters) =>
  is_free || Object.keys(calls).length > 0 ? (
    <NoneFound what="calls" clear={clear} />
  ) : (
    <EmptyState
      title="No calls in this range"
      action={
        <ButtonLink href="/playground" right="call">
          Try a model in the playground
        </ButtonLink>
      }
    >
      Calls and their cost add up here.
    </EmptyState>
  )
