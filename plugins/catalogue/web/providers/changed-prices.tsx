// The table of a price change by per cent: each amount before and after, with cost and margin, and amounts that do not change.
import type { AnswerOf, api } from '../../../console/web/app/client.ts'
import { exactUsd } from '../../../console/web/parts/amounts.ts'
import { Notice } from '../../../console/web/parts/notice.tsx'
import { type Column, column, endColumn, Table } from '../../../console/web/parts/table.tsx'

type ChangeDraft = AnswerOf<typeof api.prices.changes.post>
type Model = ChangeDraft['models'][number]
type Line = Model['routes'][number]['lines'][number]

interface Row {
  id: string
  key: string
  provider: string
  line: Line
}

const isBelowCost = ({ margin_nanos }: Line): boolean => margin_nanos !== null && margin_nanos < 0
const hasAmount = ({ price_nanos, cost_nanos }: Line): boolean => price_nanos > 0 || (cost_nanos ?? 0) > 0

/** Omits rates that follow from another one, unless they lose money. Omits routes with unknown costs if another route's cost is known. */
function rowsOf({ id, chosen, routes }: Model): Row[] {
  if (!chosen) return []
  const known = routes.filter(({ lines }) => lines.some(({ cost_nanos }) => cost_nanos !== null))
  return (known.length > 0 ? known : routes.slice(0, 1)).flatMap(({ provider, model, lines }) =>
    lines
      .filter((line) => isBelowCost(line) || (!line.follows && hasAmount(line)))
      .map((line) => ({
        ...{ id, provider, line },
        key: `${id} ${provider} ${model} ${line.name} ${line.of}`,
      })),
  )
}

interface ChangedPricesProps {
  provider: string
  target: 'price' | 'cost' | 'both'
  draft: ChangeDraft
}

export function ChangedPrices({ provider, target, draft: { models, changes } }: ChangedPricesProps) {
  const chosen = models.filter((model) => model.chosen)
  const rows = chosen.flatMap(rowsOf)
  const below_cost = rows.filter(({ line }) => isBelowCost(line)).length
  const shared = chosen.filter(({ routes }) => routes.some((route) => route.provider !== provider))
  const has_others = rows.some((row) => row.provider !== provider)
  if (chosen.length === 0)
    return (
      <p className="soft">
        {models.length === 0 ? `No model uses ${provider}.` : 'Select the models whose prices change.'}
      </p>
    )
  return (
    <>
      {below_cost > 0 && (
        <Notice tone="bad">
          {below_cost === 1 ? 'One price is' : `${String(below_cost)} prices are`} below cost, marked in the
          table.
        </Notice>
      )}
      {target !== 'cost' && shared.length > 0 && (
        <Notice>
          Also served by other providers: {namesOf(shared)}. A model has one price for all of its providers;
          their costs stay.
        </Notice>
      )}
      <UnchangedModels models={chosen} provider={provider} />
      {changes === 0 && <p className="soft">Nothing changes.</p>}
      <Table
        label="Prices"
        columns={has_others ? [MODEL, PROVIDER, ...AMOUNTS] : [MODEL, ...AMOUNTS]}
        rows={rows}
        keyOf={({ key }) => key}
      />
      <p className="soft small">
        USD. Rates that follow from another one, such as cache reads from input, change with it.
      </p>
    </>
  )
}

const namesOf = (models: readonly Model[]): string => models.map(({ id }) => id).join(', ')

function UnchangedModels({ models, provider }: { models: readonly Model[]; provider: string }) {
  const free = models.filter(({ left }) => left.includes('free'))
  const unknown = models.filter(({ left }) => left.includes('cost unknown'))
  return (
    <>
      {free.length > 0 && <p className="soft">Free, and stays free: {namesOf(free)}.</p>}
      {unknown.length > 0 && (
        <p className="soft">
          Cost at {provider} unknown, so it stays: {namesOf(unknown)}. Set it on the model’s page.
        </p>
      )}
    </>
  )
}

const words = (name: string): string => name.replaceAll('_', ' ')

const MODEL = column<Row>('model', 'Model', 'first', ({ id, line: { name, of } }) => (
  <>
    {id}{' '}
    <span className="soft">
      {words(name)}
      {of !== '' && ` (${of})`}
    </span>
  </>
))

const PROVIDER = column<Row>('provider', 'Provider', 'none', ({ provider }) => provider)

const AMOUNTS: readonly Column<Row>[] = [
  column('per', 'Per', 'none', ({ line }) => line.per),
  endColumn('old', 'Old price', 'second', ({ provider, line }) => (
    <>
      <span className="on-phone">was </span>
      {exactUsd(line.old_price_nanos)}
      <span className="on-phone">
        , cost <Cost line={line} /> at {provider}
      </span>
    </>
  )),
  endColumn('new', 'New price', 'first-end', ({ line }) => <strong>{exactUsd(line.price_nanos)}</strong>),
  endColumn('cost', 'Cost', 'none', ({ line }) => <Cost line={line} />),
  endColumn('margin', 'Margin', 'second-end', ({ line }) => <Margin line={line} />),
]

function Cost({ line: { cost_nanos, old_cost_nanos } }: { line: Line }) {
  if (cost_nanos === null) return <span className="soft">unknown</span>
  return (
    <>
      {old_cost_nanos !== null && old_cost_nanos !== cost_nanos && (
        <>
          <s className="soft">{exactUsd(old_cost_nanos)}</s> <span aria-hidden>→</span>{' '}
        </>
      )}
      {exactUsd(cost_nanos)}
    </>
  )
}

function Margin({ line }: { line: Line }) {
  const { margin_nanos, margin_percent } = line
  if (margin_nanos === null) return <span className="soft">–</span>
  const percent = margin_percent === null ? '' : `, ${margin_percent.replace('-', '−')} %`
  return (
    <span className={isBelowCost(line) ? 'below-cost' : undefined}>
      {isBelowCost(line) ? `loses ${exactUsd(-margin_nanos)}` : exactUsd(margin_nanos)}
      {percent}
    </span>
  )
}
