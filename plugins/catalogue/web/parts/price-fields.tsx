// The price of a model, or the cost of a route, as fields: those of its kind, and the tiers and lines that the file has.

import { CommittedInput } from '../../../console/web/parts/committed-input.tsx'
import { Field } from '../../../console/web/parts/field.tsx'
import { Switch } from '../../../console/web/parts/switch.tsx'
import type { Draft } from './draft.ts'
import { type Block, blockAt, listAt, type Path, textAt } from './values.ts'

interface Rate {
  name: string
  label: string
  help?: string
  /** A price does without it. */
  is_optional?: true
}

const OF_TOKENS = ' per million tokens'
const IN: Rate = { name: 'input', label: `Input${OF_TOKENS}` }
const OUT: Rate = { name: 'output', label: `Output${OF_TOKENS}` }

/** The usual rates of each kind; the form has further rates of the file, too. */
const RATES: Readonly<Record<string, readonly Rate[]>> = {
  text: [
    IN,
    OUT,
    {
      name: 'cache_read',
      label: 'Cache read',
      is_optional: true,
      help: 'Leave empty for the part of input that the provider bills for this generation. A price takes at most a tenth.',
    },
  ],
  embedding: [IN],
  image: [{ name: 'per_image', label: 'Each image' }],
  speech: [{ name: 'per_million_characters', label: 'Million characters' }],
  transcription: [{ name: 'per_minute', label: 'Minute of audio' }],
  moderation: [IN],
  rerank: [{ name: 'per_thousand_searches', label: 'Thousand searches' }],
}

/** Of an image model that is priced by tokens. */
const IMAGE_TOKEN_RATES: readonly Rate[] = [
  { name: 'input', label: `Text input${OF_TOKENS}` },
  { name: 'image_input', label: `Image input${OF_TOKENS}`, help: 'Leave empty for the price of text input.' },
  { name: 'image_output', label: `Image output${OF_TOKENS}` },
  { name: 'cache_read', label: 'Cached text input', help: 'Leave empty for the price of text input.' },
  {
    name: 'image_cache_read',
    label: 'Cached image input',
    help: 'Leave empty for the price of image input.',
  },
  { name: 'output', label: 'Text output', help: 'Leave empty for the price of image output.' },
]

const inWords = (name: string): string => {
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** With two decimals at least, as prices are written. */
function amountAt(block: Block, name: string): string {
  const text = textAt(block, name)
  const [whole, decimals = ''] = text.split('.')
  return /^\d+(\.\d+)?$/.test(text) ? `${whole}.${decimals.padEnd(2, '0')}` : text
}

const TABLES = ['tiers', 'variants', 'extras', 'service_tiers']

const isAmount = (name: string, value: unknown): boolean =>
  !TABLES.includes(name) && (typeof value === 'number' || typeof value === 'string')

/** The usual rates, unless the file prices the kind by others, and all that it has. */
function ratesOf(kind: string, price: Block): readonly Rate[] {
  if (kind === 'image' && IMAGE_TOKEN_RATES.some(({ name }) => name in price)) return IMAGE_TOKEN_RATES
  const usual = RATES[kind] ?? []
  const written = Object.keys(price).filter((name) => isAmount(name, price[name]))
  const is_by_others = kind !== 'text' && written.length > 0
  const visible = is_by_others ? usual.filter(({ name }) => written.includes(name)) : usual
  const others = written.filter((name) => !visible.some((rate) => rate.name === name))
  return [
    ...visible,
    ...others.map((name) => {
      const known = Object.values(RATES)
        .flat()
        .find((rate) => rate.name === name)
      return known ?? { name, label: inWords(name) }
    }),
  ]
}

interface PriceFieldsProps {
  draft: Draft
  /** Of the price in the file: `['models', 2, 'price']`, or of a route's cost. */
  path: Path
  price: Block
  /** Of the model. */
  kind: string
  /** Before each label, where the same rates stand elsewhere on the page. */
  label_prefix?: string
  /** Of a cost that is not written yet: the price, which has its units. */
  like?: Block
}

const isFree = (price: Block): boolean =>
  Object.keys(price).length > 0 &&
  Object.entries(price).every(([name, value]) => isAmount(name, value) && Number(value) === 0)

/** The price of a model: amounts that have to be entered, or the decision that it is free. */
export function ModelPrice(props: PriceFieldsProps) {
  const { draft, path, price, kind } = props
  const is_free = isFree(price)
  const free = () => {
    const needed = (RATES[kind] ?? []).filter(({ is_optional }) => !is_optional)
    return Object.fromEntries(needed.map(({ name }) => [name, '0.00']))
  }
  return (
    <div className="stack">
      <Field
        inline
        label="Free model"
        help={is_free ? 'Callers pay nothing. Switch it off to enter a price.' : undefined}
        error={draft.mistakeAt(path)}
      >
        <Switch checked={is_free} onChange={(is_on) => draft.put(path, is_on ? free() : {})} />
      </Field>
      {!is_free && <PriceFields {...props} />}
    </div>
  )
}

export function PriceFields({ draft, path, price, kind, label_prefix = '', like = price }: PriceFieldsProps) {
  const is_written = Object.keys(price).length > 0
  const rates = ratesOf(kind, is_written || kind === 'text' ? price : like).map((rate) => ({
    ...rate,
    label: label_prefix + rate.label,
  }))
  return (
    <div className="stack">
      <RateFields draft={draft} path={path} block={price} rates={rates} />
      {listAt(price, 'tiers').map((_, at) => (
        <Line
          key={`tier ${String(at)}`}
          {...{ draft, price, at }}
          path={[...path, 'tiers', at]}
          list="tiers"
          title={`Prompts above ${Number(textAt(price, 'tiers', at, 'above')).toLocaleString('en-US')} tokens`}
          skip={['above']}
        />
      ))}
      {listAt(price, 'variants').map((_, at) => (
        <Line
          key={`variant ${String(at)}`}
          {...{ draft, price, at }}
          path={[...path, 'variants', at]}
          list="variants"
          title={[textAt(price, 'variants', at, 'size'), textAt(price, 'variants', at, 'quality')]
            .filter(Boolean)
            .join(', ')}
          skip={['size', 'quality']}
        />
      ))}
      <ServiceTiers {...{ draft, price, path }} />
    </div>
  )
}

/** Each tier as the file has it: its multiplier, or its rates. */
function ServiceTiers({ draft, price, path }: Pick<LineProps, 'draft' | 'price' | 'path'>) {
  return Object.keys(blockAt(price, 'service_tiers')).map((name) => {
    const own = [...path, 'service_tiers', name]
    const multiplier = textAt(price, 'service_tiers', name)
    const block = blockAt(price, 'service_tiers', name)
    const rates = Object.keys(block)
      .filter((rate) => isAmount(rate, block[rate]))
      .map((rate) => ({ name: rate, label: inWords(rate) }))
    return (
      <fieldset className="price-line" key={name}>
        <legend>{`Service tier: ${name}`}</legend>
        {multiplier === '' ? (
          <RateFields {...{ draft, path: own, block, rates }} />
        ) : (
          <Field label="Multiplier" help="All rates times this." error={draft.mistakeAt(own)}>
            <CommittedInput value={multiplier} commit={(text) => draft.put(own, text || undefined)} />
          </Field>
        )}
      </fieldset>
    )
  })
}

interface LineProps {
  draft: Draft
  price: Block
  path: Path
  list: string
  at: number
  title: string
  skip: readonly string[]
}

/** A tier, or a line of an image's price. */
function Line({ draft, price, path, list, at, title, skip }: LineProps) {
  const block = blockAt(price, list, at)
  const rates = Object.keys(block)
    .filter((name) => !skip.includes(name))
    .map((name) => ({ name, label: inWords(name) }))
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
      {rates.map(({ name, label, help }) => {
        const own = [...path, name]
        return (
          <Field key={name} label={label} help={help} error={draft.mistakeAt(own)}>
            <CommittedInput
              unit="USD"
              value={amountAt(block, name)}
              commit={(text) => draft.put(own, text || undefined)}
            />
          </Field>
        )
      })}
    </div>
  )
}
