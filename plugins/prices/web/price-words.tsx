// A model's price: in a few words for lists, and line by line.
import type { AnswerOf, api } from '../../console/web/app/client.ts'
import { aligned, exactUsd, share } from '../../console/web/parts/amounts.ts'
import { capital } from '../../console/web/parts/capital.ts'
import { type Column, column, endColumn, Table } from '../../console/web/parts/table.tsx'

type PriceLine = AnswerOf<typeof api.models.get>['models'][number]['price'][number]

const SHORT: Readonly<Record<string, string>> = {
  'million tokens': 'M tokens',
  'million characters': 'M characters',
  'thousand searches': 'K searches',
  'million audio tokens': 'M audio tokens',
}

interface PriceWordsProps {
  kind: string
  price: readonly PriceLine[]
}

/** "0.30 in, 2.50 out / M tokens", "5.00 in, 30.00 image out / M tokens", "0.04 / image". */
export function PriceWords({ kind, price }: PriceWordsProps) {
  const base = price.filter(({ of }) => of === '')
  const input = base.find(({ name }) => name === 'input')
  const is_image = kind === 'image'
  const output = base.find(({ name }) => name === (is_image ? 'image_output' : 'output'))
  const more = price.some(({ of }) => of !== '') ? ' +' : ''
  const [amount, per] =
    input && output && output.price_nanos > 0
      ? [
          `${exactUsd(input.price_nanos)} in, ${exactUsd(output.price_nanos)} ${is_image ? 'image ' : ''}out`,
          'M tokens',
        ]
      : [exactUsd(base[0]?.price_nanos ?? 0), SHORT[base[0]?.per ?? ''] ?? base[0]?.per]
  if (per === undefined) return '–'
  return (
    <span title={more === '' ? undefined : 'Some calls have other prices. See the model.'}>
      {amount}
      <span className="on-phone"> USD</span> / {per}
      {more}
    </span>
  )
}

const columnsOf = (text: (nanos: number) => string): Column<PriceLine>[] => [
  column('name', 'What', 'first', ({ name }) => capital(name.replaceAll('_', ' '))),
  endColumn('price', 'USD', 'first-end', ({ price_nanos }) => text(price_nanos)),
  column('per', 'Unit', 'second-end', ({ per }) => `per ${per}`),
]

/** The column of the calls that a line applies to, if some have separate prices. */
const FOR: Column<PriceLine> = column('of', 'For', 'second', ({ of }) => of || 'all other calls')

type RouteMargins = NonNullable<AnswerOf<typeof api.models.detail.get>['routes']>[number]
type MarginLine = RouteMargins['margins'][number]

interface PriceTableProps {
  price: readonly PriceLine[]
  /** The costs beside each line, for the operator only. */
  routes?: readonly Pick<RouteMargins, 'provider' | 'model' | 'margins'>[] | undefined
}

const keyOf = ({ name, of }: PriceLine): string => `${name} ${of}`

export function PriceTable({ price, routes = [] }: PriceTableProps) {
  // A cost may have lines that the price lacks.
  const all: readonly PriceLine[] = [...price, ...routes.flatMap(({ margins }) => margins)]
  const rows = [...new Map(all.map((line) => [keyOf(line), line])).values()]
  const is_of_all = rows.every(({ of }) => of === '')
  const columns = columnsOf(aligned(rows.map(({ price_nanos }) => price_nanos)))
  /** Whether a provider has a single route: otherwise the model is named too. */
  const isAlone = (provider: string) => routes.filter((route) => route.provider === provider).length === 1
  // On a phone only the first route's cost has a place: further cells would overlap it.
  const costs = routes.map(({ provider, model, margins }, at) =>
    endColumn<PriceLine>(
      `${provider} ${model}`,
      `Cost at ${isAlone(provider) ? provider : `${provider} (${model})`}`,
      at === 0 && is_of_all ? 'second' : 'none',
      (line) => <CostWords line={margins.find((each) => keyOf(each) === keyOf(line))} />,
    ),
  )
  return (
    <Table
      label="Price"
      columns={[...columns, ...(is_of_all ? [] : [FOR]), ...costs]}
      rows={rows}
      keyOf={keyOf}
    />
  )
}

function CostWords({ line }: { line: MarginLine | undefined }) {
  if (!line)
    return (
      <span className="soft">
        <span className="on-phone">cost </span>unknown
      </span>
    )
  const { cost_nanos, margin_nanos, margin_percent } = line
  const percent = margin_percent === null ? '' : `, ${margin_percent.replace('-', '−')} %`
  return (
    <>
      <span className="on-phone">cost </span>
      {exactUsd(cost_nanos)}{' '}
      <span className={margin_nanos < 0 ? 'below-cost' : 'soft'}>
        {margin_nanos < 0 ? `below cost by ${exactUsd(-margin_nanos)}` : `margin ${exactUsd(margin_nanos)}`}
        {percent}
      </span>
    </>
  )
}

interface CostOfModelProps extends PriceWordsProps {
  routes?: readonly { provider: string; cost: readonly PriceLine[] | null }[] | undefined
}

/** The cost of the first route, and the lowest margin of the price's rates at any route. */
export function CostOfModel({ kind, price, routes = [] }: CostOfModelProps) {
  const known = routes.flatMap(({ provider, cost }) => (cost ? [{ provider, cost }] : []))
  const [first] = known
  if (!first) return <span className="soft">unknown</span>
  const margins = known.flatMap(({ provider, cost }) =>
    price.flatMap((line) => {
      const own = cost.find((each) => keyOf(each) === keyOf(line))
      return own && line.price_nanos > 0 ? [{ provider, part: 1 - own.price_nanos / line.price_nanos }] : []
    }),
  )
  const [least] = margins.toSorted((one, other) => one.part - other.part)
  return (
    <>
      <PriceWords kind={kind} price={first.cost} />{' '}
      {least && (
        <span
          className={least.part < 0 ? 'below-cost' : 'soft'}
          title="The least margin of its rates, at any route"
        >
          {least.part < 0 ? `below cost, ${share(least.part)}` : `margin ${share(least.part)}`}
          {least.provider !== first.provider && ` at ${least.provider}`}
        </span>
      )}
    </>
  )
}
