// The price of a model as fields: those of its kind, and the tiers and lines that the file has.
import { Field } from '../field.tsx'
import { CommittedInput } from './committed-input.tsx'
import type { Draft } from './draft.ts'
import { type Block, blockAt, listAt, type Path, textAt } from './values.ts'

interface Rate {
  name: string
  label: string
  unit: string
  help?: string
}

const PER_MILLION = 'USD / M tokens'
const IN: Rate = { name: 'input', label: 'Input', unit: PER_MILLION }
const OUT: Rate = { name: 'output', label: 'Output', unit: PER_MILLION }

/** The rates of each kind, the usual ones; those that the file has besides are shown too. */
const RATES: Readonly<Record<string, readonly Rate[]>> = {
  text: [
    IN,
    OUT,
    { name: 'cache_read', label: 'Cache read', unit: PER_MILLION, help: 'A tenth of input where empty.' },
  ],
  embedding: [IN],
  image: [{ name: 'per_image', label: 'Each image', unit: 'USD' }],
  speech: [{ name: 'per_million_characters', label: 'Million characters', unit: 'USD' }],
  transcription: [{ name: 'per_minute', label: 'Minute of audio', unit: 'USD' }],
  moderation: [IN],
  rerank: [{ name: 'per_thousand_searches', label: 'Thousand searches', unit: 'USD' }],
}

const TABLES = ['tiers', 'variants', 'extras']

const isAmount = (name: string, value: unknown): boolean =>
  !TABLES.includes(name) && (typeof value === 'number' || typeof value === 'string')

/** The usual rates, unless the file prices the kind by others, and all that it has. */
function ratesOf(kind: string, price: Block): readonly Rate[] {
  const usual = RATES[kind] ?? []
  const written = Object.keys(price).filter((name) => isAmount(name, price[name]))
  const is_by_others = kind !== 'text' && written.length > 0
  const shown = is_by_others ? usual.filter(({ name }) => written.includes(name)) : usual
  const others = written.filter((name) => !shown.some((rate) => rate.name === name))
  return [
    ...shown,
    ...others.map((name) => {
      const known = Object.values(RATES)
        .flat()
        .find((rate) => rate.name === name)
      return known ?? { name, label: name.replaceAll('_', ' '), unit: kind === 'text' ? PER_MILLION : 'USD' }
    }),
  ]
}

export interface PriceFieldsProps {
  draft: Draft
  /** Of the model in the file: `['models', 2]`. */
  path: Path
  model: Block
}

export function PriceFields({ draft, path, model }: PriceFieldsProps) {
  const price = blockAt(model, 'price')
  const rates = ratesOf(textAt(model, 'kind'), price)
  return (
    <div className="stack">
      <RateFields draft={draft} path={[...path, 'price']} block={price} rates={rates} />
      {listAt(price, 'tiers').map((_, at) => (
        <Line
          key={`tier ${String(at)}`}
          {...{ draft, price, at }}
          path={[...path, 'price', 'tiers', at]}
          list="tiers"
          title={`Prompts above ${Number(textAt(price, 'tiers', at, 'above')).toLocaleString('en-US')} tokens`}
          skip={['above']}
          unit={PER_MILLION}
        />
      ))}
      {listAt(price, 'variants').map((_, at) => (
        <Line
          key={`variant ${String(at)}`}
          {...{ draft, price, at }}
          path={[...path, 'price', 'variants', at]}
          list="variants"
          title={[textAt(price, 'variants', at, 'size'), textAt(price, 'variants', at, 'quality')]
            .filter(Boolean)
            .join(', ')}
          skip={['size', 'quality']}
          unit="USD"
        />
      ))}
    </div>
  )
}

interface LineProps {
  draft: Draft
  price: Block
  path: Path
  list: string
  at: number
  title: string
  skip: readonly string[]
  unit: string
}

/** A tier, or a line of an image's price. */
function Line({ draft, price, path, list, at, title, skip, unit }: LineProps) {
  const block = blockAt(price, list, at)
  const rates = Object.keys(block)
    .filter((name) => !skip.includes(name))
    .map((name) => ({ name, label: name.replaceAll('_', ' '), unit }))
  return (
    <fieldset className="price-line">
      <legend>{title}</legend>
      <RateFields {...{ draft, path, block, rates }} />
    </fieldset>
  )
}

interface RateFieldsProps {
  draft: Draft
  path: Path
  block: Block
  rates: readonly Rate[]
}

function RateFields({ draft, path, block, rates }: RateFieldsProps) {
  return (
    <div className="fields">
      {rates.map(({ name, label, unit, help }) => {
        const own = [...path, name]
        const change = (text: string) =>
          void draft.edit([text === '' ? { op: 'remove', path: own } : { op: 'set', path: own, value: text }])
        return (
          <Field key={name} label={label} help={help} error={draft.mistakeAt(own)}>
            <CommittedInput unit={unit} value={textAt(block, name)} commit={change} />
          </Field>
        )
      })}
    </div>
  )
}
