// The price of a model as fields, each beside its cost at every route and the margin; below, tiers, variants and service tiers.
import type { ReactNode } from 'react'
import { capital } from '../../../console/web/parts/capital.ts'
import { Choices } from '../../../console/web/parts/choices.tsx'
import { Field } from '../../../console/web/parts/field.tsx'
import { Switch } from '../../../console/web/parts/switch.tsx'
import { costEditing, type Editing } from './editing.ts'
import type { Labels } from './labels.ts'
import { type MarginLine, type Margins, MarginWords, Proposals, useMargins } from './margins.tsx'
import { isFree, type PriceUnit, ratesOf, unitOf, unitsOf } from './price-units.ts'
import { SchemaFields, useBlockFields } from './schema-fields.tsx'
import { type Block, blockAt, type Edit, listAt, type Path, textAt } from './values.ts'

export interface ModelProps {
  draft: Editing
  path: Path
  model: Block
}

/** Requires amounts, or the decision that the model is free. */
export function ModelPrice(props: ModelProps) {
  const { draft, path, model } = props
  const kind = textAt(model, 'kind')
  const price = blockAt(model, 'price')
  const units = unitsOf(kind)
  const margins = useMargins(model, draft.values)
  const unit = unitOf(kind, price) ?? units[0]
  if (!unit) return null
  const is_free = isFree(unit, price)
  const own = [...path, 'price']
  const costs = listAt(model, 'routes').map((_, at) => blockAt(model, 'routes', at, 'cost'))
  const written = [price, ...costs].flatMap(scalarsIn)
  const choose = (title: string) => {
    const next = units.find((each) => each.title === title) ?? unit
    void draft.edit([{ op: 'set', path: own, value: priceAt(next, '') }, ...withoutCosts(path, model)])
  }
  return (
    <div className="stack">
      {units.length > 1 && (
        <Choices
          label="Priced by"
          options={units.map(({ title }) => ({ value: title, label: title }))}
          value={unit.title}
          onChange={choose}
        />
      )}
      <Field
        inline
        label="Free model"
        help={is_free ? 'Callers pay nothing. Switch it off to enter a price.' : undefined}
        error={draft.mistakeAt(own)}
      >
        <Switch checked={is_free} onChange={(is_on) => draft.put(own, priceAt(unit, is_on ? '0.00' : ''))} />
      </Field>
      <Rates {...props} {...ratesOf(unit, written)} is_free={is_free} margins={margins} />
      {!is_free && <PriceLines {...props} margins={margins} />}
      {margins && !is_free && <Proposals {...props} margins={margins} />}
    </div>
  )
}

/** Returns a price with only the required rates. Empty amounts must be entered. */
const priceAt = ({ required }: PriceUnit, amount: string) =>
  Object.fromEntries(required.map((name) => [name, amount]))

const withoutCosts = (path: Path, model: Block): Edit[] =>
  listAt(model, 'routes').flatMap((_, at): Edit[] =>
    'cost' in blockAt(model, 'routes', at) ? [{ op: 'remove', path: [...path, 'routes', at, 'cost'] }] : [],
  )

const scalarsIn = (block: Block): string[] =>
  Object.keys(block).filter((name) => typeof block[name] !== 'object')

interface RatesProps extends ModelProps {
  names: readonly string[]
  labels: Labels
  is_free: boolean
  margins: Margins | undefined
}

/** A row for each rate: price, cost at each route, and margin. */
function Rates({ draft, path, model, names, labels, is_free, margins }: RatesProps) {
  const kind = textAt(model, 'kind')
  const known = useBlockFields().prices[kind] ?? []
  const price = blockAt(model, 'price')
  const routes = listAt(model, 'routes').map((_, at) => blockAt(model, 'routes', at))
  return names.map((name) => {
    // A rate that the kind does not support is still shown, with its mistake, so that it can be emptied.
    const fields = known.some((field) => field.path[0] === name) ? known : [{ ...TEXT, path: [name] }]
    const lines = routes.map((_, at) => lineAt(margins, at, [name]))
    return (
      <fieldset className="rate" key={name}>
        <legend className="unseen">{labels[name]?.label ?? name.replaceAll('_', ' ')}</legend>
        {!is_free && (
          <SchemaFields
            {...{ draft, path: [...path, 'price'], block: price, fields, labels, names: [name] }}
            empty={lines[0]?.price_usd ?? ''}
          />
        )}
        {routes.map((route, at) => {
          const cost = blockAt(route, 'cost')
          const own = [...path, 'routes', at, 'cost']
          const words = {
            label: `Cost at ${routeName(route, routes)}`,
            help: <MarginWords line={lines[at]} />,
          }
          return (
            <SchemaFields
              key={String(at)}
              {...{ draft: costEditing(draft, own, cost), path: own, block: cost, fields, names: [name] }}
              labels={{ [name]: words }}
              empty={lines[at]?.cost_usd ?? ''}
            />
          )
        })}
      </fieldset>
    )
  })
}

const lineAt = (margins: Margins | undefined, route: number, path: Path): MarginLine | undefined =>
  margins?.routes[route]?.lines.find((line) => line.path.join(' ') === path.join(' '))

/** Adds the provider's id of the model if several routes go to the provider. */
const routeName = (route: Block, routes: readonly Block[]): string => {
  const provider = textAt(route, 'provider')
  const is_alone = routes.every((other) => other === route || textAt(other, 'provider') !== provider)
  return is_alone ? provider : `${provider} (${textAt(route, 'model')})`
}

/** The tiers, variants and service tiers of the price with the margin of each amount, then those of the costs. */
function PriceLines({ draft, path, model, margins }: ModelProps & { margins: Margins | undefined }) {
  const routes = listAt(model, 'routes').map((_, at) => blockAt(model, 'routes', at))
  return (
    <>
      <Lines
        {...{ draft, path: [...path, 'price'], block: blockAt(model, 'price'), kind: textAt(model, 'kind') }}
        helpOf={(own) =>
          routes.map((route, at) => {
            const line = lineAt(margins, at, own)
            return (
              line && (
                <span key={String(at)}>
                  {routes.length > 1 && `${routeName(route, routes)}: `}
                  <MarginWords line={line} />{' '}
                </span>
              )
            )
          })
        }
      />
      {routes.map((route, at) => (
        <Lines
          key={String(at)}
          {...{ draft, path: [...path, 'routes', at, 'cost'], block: blockAt(route, 'cost') }}
          kind={textAt(model, 'kind')}
          title_prefix={`Cost at ${routeName(route, routes)}. `}
        />
      ))}
    </>
  )
}

interface LinesProps {
  draft: Editing
  path: Path
  block: Block
  kind: string
  title_prefix?: string
  /** Returns the help below an amount of the price. */
  helpOf?: (path: Path) => ReactNode
}

function Lines({ draft, path, block, kind, title_prefix = '', helpOf }: LinesProps) {
  const known = useBlockFields().prices[kind] ?? []
  // The descriptions apply to rates of the whole price, not of a line.
  const of_line = known.map((field) => ({ ...field, description: '' }))
  return linesIn(block).map(({ title, at, multiplier }) => {
    const own = blockAt(block, ...at)
    const line = { draft, path: [...path, ...at], block: own }
    const names = scalarsIn(own)
    const labels = Object.fromEntries(
      names.map((name) => [
        name,
        { label: capital(name.replaceAll('_', ' ')), help: helpOf?.([...at, name]) },
      ]),
    )
    return (
      <fieldset className="price-line" key={title + at.join('.')}>
        <legend>
          {title_prefix}
          {title}
        </legend>
        {multiplier === undefined ? (
          <div className="fields">
            <SchemaFields {...{ ...line, labels }} fields={of_line} names={names} />
          </div>
        ) : (
          <SchemaFields
            {...line}
            fields={[{ ...TEXT, path: [multiplier] }]}
            labels={{ [multiplier]: MULTIPLIER_WORDS }}
          />
        )}
      </fieldset>
    )
  })
}

const TEXT = { kind: 'text' as const, is_required: false, fallback: null, description: '', options: [] }
const MULTIPLIER_WORDS = { label: 'Multiplier', help: 'All rates times this.' }

interface PriceLine {
  title: string
  at: Path
  /** The name of a service tier that has only a multiplier. */
  multiplier?: string
}

const linesIn = (price: Block): PriceLine[] => [
  ...listAt(price, 'tiers').map((_, index) => ({
    title: `Prompts above ${Number(textAt(price, 'tiers', index, 'above')).toLocaleString('en-US')} tokens`,
    at: ['tiers', index],
  })),
  ...listAt(price, 'variants').map((_, index) => ({
    title: ['size', 'quality']
      .map((name) => textAt(price, 'variants', index, name))
      .filter(Boolean)
      .join(', '),
    at: ['variants', index],
  })),
  ...Object.entries(blockAt(price, 'service_tiers')).map(([name, value]) => ({
    title: `Service tier: ${name}`,
    ...(typeof value === 'object'
      ? { at: ['service_tiers', name] }
      : { at: ['service_tiers'], multiplier: name }),
  })),
]
