// Margins of a price in a form: each amount beside its cost, the providers' list prices, and proposed prices with the markup.
import { TriangleAlert } from 'lucide-react'
import { type AnswerOf, api } from '../../../console/web/app/client.ts'
import { useApi } from '../../../console/web/app/query.ts'
import { exactUsd } from '../../../console/web/parts/amounts.ts'
import { Button } from '../../../console/web/parts/button.tsx'
import { CommittedInput } from '../../../console/web/parts/committed-input.tsx'
import { Field } from '../../../console/web/parts/field.tsx'
import type { Editing } from './editing.ts'
import { type Block, blockAt, type Edit, listAt, type Path, textAt } from './values.ts'

export type Margins = AnswerOf<typeof api.prices.margins.post>
export type MarginLine = Margins['routes'][number]['lines'][number]

export const MARKUP: Path = ['catalogue', 'markup']

/** Requests the margins of a model. @param values of the file, with its markup */
export function useMarginsQuery(model: Block, values: Block | null) {
  const optional = (block: Block, name: string) => textAt(block, name) || undefined
  const body = {
    kind: textAt(model, 'kind'),
    price: blockAt(model, 'price'),
    markup: textAt(values ?? {}, ...MARKUP) || undefined,
    routes: listAt(model, 'routes').map((_, at) => {
      const route = blockAt(model, 'routes', at)
      return {
        provider: textAt(route, 'provider'),
        model: textAt(route, 'model'),
        generation: optional(route, 'generation'),
        cost: blockAt(route, 'cost'),
      }
    }),
  }
  return { body, query: useApi(['margins', body], () => api.prices.margins.post(body)) }
}

/** Returns the margins of a model; undefined while they are loaded. @param values of the file, with its markup */
export function useMargins(model: Block, values: Block | null): Margins | undefined {
  const { body, query } = useMarginsQuery(model, values)
  const { data } = query
  // Until the next answer arrives, the old one may belong to another kind or to other routes.
  const is_current =
    data?.kind === body.kind &&
    data.routes.length === body.routes.length &&
    data.routes.every(
      ({ provider, model }, at) => provider === body.routes[at]?.provider && model === body.routes[at]?.model,
    )
  return is_current ? data : undefined
}

/** "Margin 0.075 USD, 20 %", or the loss, or that the cost is unknown. */
export function MarginWords({ line }: { line: MarginLine | undefined }) {
  if (!line) return null
  if (line.cost_nanos === null) return 'Cost unknown, so no margin.'
  const { price_nanos, margin_nanos, margin_percent } = line
  if (margin_nanos === null) return null
  if (price_nanos === 0 && line.cost_nanos > 0)
    return `Free for callers: you pay ${exactUsd(line.cost_nanos)} USD.`
  const percent = margin_percent === null ? '' : `, ${margin_percent.replace('-', '−')} %`
  if (margin_nanos >= 0) return `Margin ${exactUsd(margin_nanos)} USD${percent}`
  return (
    <span className="below-cost">
      <TriangleAlert className="icon" aria-hidden /> Below cost: you lose {exactUsd(-margin_nanos)} USD
      {percent}
    </span>
  )
}

interface ProposalsProps {
  draft: Editing
  path: Path
  model: Block
  margins: Margins
}

/** Values that the form can fill in: list prices as costs, and prices of cost plus markup. */
export function Proposals({ draft, path, model, margins }: ProposalsProps) {
  const has_cost = margins.routes.some(
    (_, at) => Object.keys(blockAt(model, 'routes', at, 'cost')).length > 0,
  )
  const edits = priceEdits(path, margins)
  const covering = dearestBy(margins, ({ covering_nanos }) => covering_nanos)
  return (
    <>
      {margins.routes.map(({ provider, listed, model: name }, at) => {
        const listing = listed && { ...listed, at, cost: blockAt(model, 'routes', at, 'cost') }
        const is_new =
          listing &&
          Object.entries(listing.rates).some(
            ([rate, usd]) => Number(textAt(listing.cost, rate)) !== Number(usd),
          )
        return (
          listing &&
          is_new && (
            <ListPrice
              key={`${provider} ${name}`}
              listed={listing}
              use={() => void draft.edit(listedEdits(path, model, listing))}
            />
          )
        )
      })}
      {covering.map(({ path: place, covering_usd, cost_usd }) => (
        <div key={place.join(' ')} className="stack">
          <p className="soft small">
            Cache reads{place.length > 1 && ` (${place.slice(0, -1).join(' ').replaceAll('_', ' ')})`} cost
            you {cost_usd} USD, more than they would sell at.
          </p>
          <div>
            <Button small onClick={() => draft.put([...path, 'price', ...place], covering_usd ?? undefined)}>
              {`Set cache reads to ${covering_usd ?? ''}`}
            </Button>
          </div>
        </div>
      ))}
      {has_cost && <MarkupField draft={draft} />}
      {margins.markup !== null && edits.length > 0 && (
        <div>
          <Button small onClick={() => void draft.edit(edits)}>
            {`Set prices to cost + ${margins.markup} %`}
          </Button>
        </div>
      )}
    </>
  )
}

type Listing = NonNullable<Margins['routes'][number]['listed']> & { at: number }

function ListPrice({ listed, use }: { listed: Listing; use: () => void }) {
  const { title, as_of, rates, prices_url } = listed
  const words = Object.entries(rates).map(([name, usd]) => `${usd} USD of ${name.replaceAll('_', ' ')}`)
  return (
    <div className="stack">
      <p className="soft small">
        {title} listed this model in {as_of}: {words.join(', ')}. Check the{' '}
        <a href={prices_url} target="_blank" rel="noreferrer">
          current prices
        </a>
        .
      </p>
      <div>
        <Button small onClick={use}>
          Use list price as cost
        </Button>
      </div>
    </div>
  )
}

/** Sets the cost, and limits that are not set. */
function listedEdits(path: Path, model: Block, { at, rates, context, max_output_tokens }: Listing): Edit[] {
  const limits = { context, max_output_tokens }
  return [
    { op: 'set', path: [...path, 'routes', at, 'cost'], value: rates },
    ...Object.entries(limits).flatMap(([name, value]): Edit[] =>
      name in model ? [] : [{ op: 'set', path: [...path, name], value }],
    ),
  ]
}

const priceEdits = (path: Path, margins: Margins): Edit[] =>
  dearestBy(margins, ({ proposed_nanos }) => proposed_nanos).flatMap((line): Edit[] =>
    line.proposed_usd === null || line.price_nanos === line.proposed_nanos
      ? []
      : [{ op: 'set', path: [...path, 'price', ...line.path], value: line.proposed_usd }],
  )

/** Returns each amount at its dearest route, so that no route loses money. */
function dearestBy({ routes }: Margins, amountOf: (line: MarginLine) => number | null): MarginLine[] {
  const dearest = new Map<string, MarginLine>()
  for (const line of routes.flatMap(({ lines }) => lines)) {
    const [place, amount] = [JSON.stringify(line.path), amountOf(line)]
    const known = dearest.get(place)
    if (amount !== null && amount > ((known && amountOf(known)) ?? -1)) dearest.set(place, line)
  }
  return [...dearest.values()]
}

/** The first form with a cost shows this field; then the file has the markup. */
function MarkupField({ draft }: { draft: Editing }) {
  if (textAt((draft.file.values as Block | null) ?? {}, ...MARKUP) !== '') return null
  return (
    <Field
      label="Markup on costs"
      help="Proposed prices are the cost plus this percentage. Enter it once; you can change it in Settings."
      error={draft.mistakeAt(MARKUP)}
    >
      <CommittedInput
        unit="%"
        placeholder="25"
        inputMode="decimal"
        value={textAt(draft.values ?? {}, ...MARKUP)}
        commit={(typed) => draft.put(MARKUP, typed || undefined)}
      />
    </Field>
  )
}
