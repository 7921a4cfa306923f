// The page Model: its price, its week and its routes, with changes and trials for the operator.
import { History, Pencil } from 'lucide-react'
import { FailedFigure } from '../../../calls/web/failed/failed.tsx'
import { type AnswerOf, api } from '../../../console/web/app/client.ts'
import type { PageProps } from '../../../console/web/app/page-entry.ts'
import { useApi } from '../../../console/web/app/query.ts'
import { useViewer } from '../../../console/web/app/session.tsx'
import { inZone } from '../../../console/web/app/zone.ts'
import { count, roundedUsd, share } from '../../../console/web/parts/amounts.ts'
import { ButtonLink } from '../../../console/web/parts/button.tsx'
import { capital } from '../../../console/web/parts/capital.ts'
import { Chart } from '../../../console/web/parts/chart.tsx'
import { ENDING_HELP, endWords } from '../../../console/web/parts/end-words.ts'
import { Facts } from '../../../console/web/parts/facts.tsx'
import { Figure, Figures } from '../../../console/web/parts/figure.tsx'
import { healthSentence, LastFailureWords } from '../../../console/web/parts/health.tsx'
import { partlyKnown } from '../../../console/web/parts/margin-words.tsx'
import { Money } from '../../../console/web/parts/money.tsx'
import { Notice } from '../../../console/web/parts/notice.tsx'
import { Page, Section } from '../../../console/web/parts/page.tsx'
import { AwaitedPage, FailedState, Loaded } from '../../../console/web/parts/states.tsx'
import { useWeek, type Week } from '../../../console/web/parts/week.ts'
import { PriceTable, PriceWords } from '../../../prices/web/price-words.tsx'
import { RouteTrials } from '../parts/trial-result.tsx'
import { ModelState, TryLink } from './model-state.tsx'

export default function ModelPage({ params }: PageProps) {
  const id = params.id ?? ''
  const model = useApi(['models', id], () => api.models.detail.get({ query: { id } }))
  const days = useWeek({ model: id })
  const is_operator = useViewer().side === 'operator'
  const { data } = model
  const week = days.data
  // Waits for the week: its figures would shift the page.
  if (days.isPending) return <AwaitedPage title={id} query={days} />
  return (
    <Page
      title={id}
      lead={data && leadOf(data)}
      actions={
        data && (
          <>
            <ButtonLink href={`/calls?model=${encodeURIComponent(id)}`}>Calls</ButtonLink>
            <TryLink {...data} id={id} />
          </>
        )
      }
    >
      <Loaded query={model}>
        {({ why, end, price, routes, kind, context_tokens, max_output_tokens, ...rest }) => (
          <>
            {why !== null && <Notice tone="warn">It cannot be called: {why}.</Notice>}
            <FailingNotice health={rest.health} routes={routes} />
            {end?.is_near && <EndNotice end={end} is_operator={is_operator} />}
            <Figures>
              <Figure label="Calls in 7 days" value={week ? count(week.totals.calls) : '–'} />
              <FailedFigure model={id} />
              {week && <WeekMoney {...week.totals} />}
              <Figure
                label="State"
                value={<ModelState {...{ why, end, ...rest }} />}
                note={rest.health && healthSentence(rest.health, 'calls')}
              />
            </Figures>
            {week && week.totals.calls > 0 && <WeekChart points={week.points} />}
            {!week && days.error && <FailedState failure={days.error} retry={() => void days.refetch()} />}
            <Section title="Price" actions={is_operator && <PriceActions id={id} />}>
              <PriceTable price={price} routes={routes} />
            </Section>
            {rest.groups && rest.groups.length > 0 && <GroupPrices kind={kind} groups={rest.groups} />}
            {routes && <RouteTrials kind={kind} routes={routes} />}
            {context_tokens !== null && (
              <Section title="Limits">
                <Facts
                  facts={[
                    ['Context window', `${count(context_tokens)} tokens`],
                    ['Max output', max_output_tokens !== null && `${count(max_output_tokens)} tokens`],
                  ]}
                />
              </Section>
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

interface GroupPricesProps {
  kind: string
  groups: NonNullable<AnswerOf<typeof api.models.detail.get>['groups']>
}

/** The price in each group that does not pay the list price. */
const GroupPrices = ({ kind, groups }: GroupPricesProps) => (
  <Section title="Price groups">
    <Facts
      facts={groups.map(({ name, price, loses }) => [
        name,
        <span key={name}>
          <PriceWords kind={kind} price={price} />
          {loses && <span className="below-cost"> below cost</span>}
        </span>,
      ])}
    />
  </Section>
)

const PriceActions = ({ id }: { id: string }) => (
  <>
    <ButtonLink href={`/system/configuration/history?part=${encodeURIComponent(id)}`} icon={History}>
      Price history
    </ButtonLink>
    <ButtonLink href={`/models/${encodeURIComponent(id)}/edit`} icon={Pencil} right="operate">
      Edit model
    </ButtonLink>
  </>
)

function EndNotice({ end, is_operator }: { end: { date: string; days: number }; is_operator: boolean }) {
  return (
    <Notice tone="warn">
      This model {endWords(end)}: its shutdown {end.days < 0 ? 'was' : 'is'} on {end.date}.{' '}
      {is_operator ? ENDING_HELP : 'Use another model.'}
    </Notice>
  )
}

/** "Gemini 2.5 Flash, a model for text." */
function leadOf({ id, display_name, kind }: { id: string; display_name: string; kind: string }): string {
  const what = `${capital(kind)} model`
  return display_name === id ? what : `${display_name}: ${what.toLowerCase()}`
}

/** Spend for accounts; revenue and margin for the operator. */
function WeekMoney({ spent_nanos, ...sum }: Partial<Week['totals']>) {
  const { revenue_nanos, margin_nanos, margin_percent } = sum
  if (revenue_nanos === undefined)
    return <Figure label="Spent in 7 days" value={<Money nanos={spent_nanos ?? null} />} />
  return (
    <>
      <Figure label="Revenue in 7 days" value={<Money nanos={revenue_nanos} />} />
      <Figure
        label="Margin in 7 days"
        value={<Money nanos={margin_nanos ?? null} />}
        note={
          partlyKnown(sum) ??
          (margin_percent == null ? undefined : `${share(margin_percent / 100)} of revenue`)
        }
      />
    </>
  )
}

const HEIGHT_PX = 140
const inUsd = (nanos: number): string => `${roundedUsd(nanos)} USD`

function WeekChart({ points }: Pick<Week, 'points'>) {
  const [what, amountOf] =
    points[0]?.revenue_nanos === undefined
      ? ['Spent', ({ spent_nanos = 0 }: Week['points'][number]) => spent_nanos]
      : ['Revenue', ({ revenue_nanos = 0 }: Week['points'][number]) => revenue_nanos]
  return (
    <Chart
      label={`${what} ${inZone('by day')}`}
      days
      unfinished
      times_ms={points.map(({ start_at_ms }) => start_at_ms)}
      series={[{ label: what, values: points.map(amountOf) }]}
      format={inUsd}
      formatAxis={roundedUsd}
      height_px={HEIGHT_PX}
    />
  )
}

type ModelHealth = Pick<AnswerOf<typeof api.models.detail.get>, 'health' | 'routes'>

/** A notice with the provider's last message, while the model fails. */
function FailingNotice({ health, routes = [] }: ModelHealth) {
  if (health?.state !== 'failing') return null
  const [last] = routes
    .flatMap(({ last_failure }) => last_failure ?? [])
    .sort((one, other) => other.failed_at_ms - one.failed_at_ms)
  return (
    <Notice tone="bad">
      This model is failing. {healthSentence(health, 'calls')} {last && <LastFailureWords of={last} />}
    </Notice>
  )
}
