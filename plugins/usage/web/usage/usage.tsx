// The page Usage: what calls came to, by day, model, account and key; of one account or of all, over any days.
import { ChartColumn, X } from 'lucide-react'
import { api } from '../../../console/web/app/client.ts'
import { useApi } from '../../../console/web/app/query.ts'
import { useViewer } from '../../../console/web/app/session.tsx'
import { briefCount, count, roundedUsd, share } from '../../../console/web/parts/amounts.ts'
import { Button, ButtonLink } from '../../../console/web/parts/button.tsx'
import { Chart } from '../../../console/web/parts/chart.tsx'
import { Choices } from '../../../console/web/parts/choices.tsx'
import { ExportCsv } from '../../../console/web/parts/export-csv.tsx'
import { Figure, Figures } from '../../../console/web/parts/figure.tsx'
import { useListFilters } from '../../../console/web/parts/filter-fields.tsx'
import { MarginFigure } from '../../../console/web/parts/margin-words.tsx'
import { Money } from '../../../console/web/parts/money.tsx'
import { Page, Section } from '../../../console/web/parts/page.tsx'
import { EmptyState, Loaded } from '../../../console/web/parts/states.tsx'
import { HistoryLink } from '../../../import/web/history-list.tsx'
import { DEFAULTS, GROUPS, type Group, Parts, RangeAndFilters, type UsageView } from './parts.tsx'

export default function UsagePage() {
  const { role } = useViewer()
  const filters = useListFilters(DEFAULTS)
  const { by: chosen, days, zone: _, ...query } = filters.query
  const is_all = role === 'operator' && filters.filters.account === ''
  const groups = GROUPS.filter(({ value }) => value !== (is_all ? 'key' : 'account'))
  const by = groups.find(({ value }) => value === chosen)?.value ?? 'model'
  const requested = { ...query, days: filters.filters.since === '' ? daysIn(days) : undefined }
  const usage = useApi(['usage', requested], () => api.usage.get({ query: requested }))
  return (
    <Page
      title="Usage"
      lead="Days begin at midnight UTC. Today is included, as far as it has come."
      actions={
        <>
          <HistoryLink account={filters.filters.account} />
          <ExportCsv list="usage" has_times={false} query={{ ...requested, by }} />
        </>
      }
    >
      <RangeAndFilters {...filters} />
      <Loaded query={usage} rows={8}>
        {(data) =>
          data.total.calls === 0 ? (
            <NoCalls is_filtered={filters.is_filtered} clear={filters.clear} />
          ) : (
            <>
              <Totals total={data.total} />
              <SpentByDay {...data} />
              <Section
                title="In parts"
                actions={
                  <Choices<Group>
                    label="Parts"
                    options={groups}
                    value={by}
                    onChange={(value) => filters.set({ by: value })}
                  />
                }
              >
                <Parts usage={data} by={by} set={filters.set} />
              </Section>
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

const daysIn = (text: string | undefined): number => (/^\d{1,3}$/.test(text ?? '') ? Number(text) : 30)

function SpentByDay({ days, unfinished }: UsageView) {
  const what = useViewer().role === 'operator' ? 'Revenue' : 'Spent'
  return (
    <Chart
      label={`${what} by day (UTC)`}
      days="utc"
      unfinished={unfinished}
      times_ms={days.map(({ day }) => Date.parse(day))}
      series={[{ label: what, values: days.map(({ cost_nanos }) => cost_nanos) }]}
      format={(nanos) => `${roundedUsd(nanos)} USD`}
      formatAxis={roundedUsd}
    />
  )
}

function Totals({ total }: { total: UsageView['total'] }) {
  const { role } = useViewer()
  return (
    <Figures>
      <Figure label={role === 'operator' ? 'Revenue' : 'Spent'} value={<Money nanos={total.cost_nanos} />} />
      <MarginFigure sum={total} />
      <Figure
        label="Calls"
        value={count(total.calls)}
        note={
          total.failed > 0
            ? `${count(total.failed)} failed or broke off (${share(total.failed / total.calls)})`
            : 'none failed'
        }
      />
      <Figure
        label="Tokens"
        value={briefCount(total.input_tokens + total.output_tokens)}
        note={`${briefCount(total.input_tokens)} in, ${briefCount(total.output_tokens)} out`}
      />
      {total.images > 0 && <Figure label="Images" value={count(total.images)} />}
    </Figures>
  )
}

function NoCalls({ is_filtered, clear }: { is_filtered: boolean; clear: () => void }) {
  if (is_filtered)
    return (
      <EmptyState
        title="No calls match"
        action={
          <Button icon={X} onClick={clear}>
            Clear filters
          </Button>
        }
      >
        Remove a filter or choose a longer range.
      </EmptyState>
    )
  return (
    <EmptyState
      icon={ChartColumn}
      title="No calls in this range"
      action={<ButtonLink href="/playground">Try a model in the playground</ButtonLink>}
    >
      What calls cost adds up here.
    </EmptyState>
  )
}
