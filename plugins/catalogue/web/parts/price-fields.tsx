// The price of a model, or the cost of a route, as fields: the rates of its kind, and the tiers and lines that the file has.
import { Field } from '../../../console/web/parts/field.tsx'
import { Switch } from '../../../console/web/parts/switch.tsx'
import { type Labels, PRICE, PRICE_OF_IMAGE_TOKENS } from './labels.ts'
import { type BlockProps, SchemaFields, useBlockFields } from './schema-fields.tsx'
import { type Block, blockAt, listAt, type Path, textAt } from './values.ts'

/** The default rates of each kind, which a price needs; the form has further rates of the file, too. */
const DEFAULT_RATES: Readonly<Record<string, readonly string[]>> = {
  text: ['input', 'output'],
  embedding: ['input'],
  image: ['per_image'],
  speech: ['per_million_characters'],
  transcription: ['per_minute'],
  moderation: ['input'],
  rerank: ['per_thousand_searches'],
}

/** The default rates, unless the file prices the kind by others, and all that it has. @param written the rates of the file */
function ratesOf(kind: string, written: readonly string[]): { names: readonly string[]; labels: Labels } {
  if (kind === 'image' && written.some((name) => name in PRICE_OF_IMAGE_TOKENS))
    return { names: Object.keys(PRICE_OF_IMAGE_TOKENS), labels: PRICE_OF_IMAGE_TOKENS }
  const defaults = DEFAULT_RATES[kind] ?? []
  if (kind === 'text') return { names: unique([...defaults, 'cache_read', ...written]), labels: PRICE }
  const needed = written.length === 0 ? defaults : defaults.filter((name) => written.includes(name))
  return { names: unique([...needed, ...written]), labels: PRICE }
}

const unique = (names: readonly string[]): string[] => [...new Set(names)]

interface PriceFieldsProps extends BlockProps {
  /** Of the model. */
  kind: string
  /** Before each label, where the same rates stand elsewhere on the page. */
  label_prefix?: string
  /** Of a cost that is not written yet: the price, which has its units. */
  like?: Block
}

/** The price of a model: amounts that have to be entered, or the decision that it is free. */
export function ModelPrice(props: PriceFieldsProps) {
  const { draft, path, block, kind } = props
  const amounts = Object.values(block)
  const is_free =
    amounts.length > 0 && amounts.every((amount) => !Array.isArray(amount) && Number(amount) === 0)
  const free = () => Object.fromEntries((DEFAULT_RATES[kind] ?? []).map((name) => [name, '0.00']))
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

export function PriceFields({ draft, path, block, kind, label_prefix = '', like = block }: PriceFieldsProps) {
  const known = useBlockFields().prices[kind] ?? []
  const isKnown = (name: string) => known.some((field) => field.path[0] === name)
  // A rate that the kind does not have is shown with its mistake, and can be emptied.
  const unknown = Object.keys(block).filter((name) => typeof block[name] !== 'object' && !isKnown(name))
  const fields = [...known, ...unknown.map((name) => ({ ...TEXT, path: [name] }))]
  const ratesIn = (price: Block) =>
    Object.keys(price).filter((name) => fields.some((field) => field.path[0] === name))
  const is_written = Object.keys(block).length > 0
  const rates = ratesOf(kind, ratesIn(is_written || kind === 'text' ? block : like))
  // A description is of the rate of the whole price.
  const of_line = fields.map((field) => ({ ...field, description: '' }))
  return (
    <div className="stack">
      <div className="fields">
        <SchemaFields {...{ draft, path, block, fields, label_prefix, ...rates }} />
      </div>
      {linesIn(block).map(({ title, at, multiplier }) => {
        const line = { draft, path: [...path, ...at], block: blockAt(block, ...at) }
        return (
          <fieldset className="price-line" key={title + at.join('.')}>
            <legend>{title}</legend>
            {multiplier === undefined ? (
              <div className="fields">
                <SchemaFields {...line} fields={of_line} names={ratesIn(line.block)} />
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
      })}
    </div>
  )
}

const TEXT = { kind: 'text' as const, is_required: false, fallback: null, description: '', options: [] }
const MULTIPLIER_WORDS = { label: 'Multiplier', help: 'All rates times this.' }

interface PriceLine {
  title: string
  /** Of its block in the price. */
  at: Path
  /** The name of a service tier whose only value is a multiplier. */
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
