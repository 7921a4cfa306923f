// Well-known models at list price: a model that was just added becomes one of them, and a known one says what its provider listed.
import { Button } from '../../../console/web/parts/button.tsx'
import type { Draft } from './draft.ts'
import { type Known, useKnownList } from './known.ts'
import { type Block, blocksOf, type Edit, type Path, textAt, type Value } from './values.ts'

interface KnownModelsProps {
  draft: Draft
  path: Path
  model: Block
}

/** A known model of a provider that the catalogue has. */
interface Choice {
  provider: string
  known: Known
  one: Known['models'][number]
}

export function KnownModels({ draft, path, model }: KnownModelsProps) {
  const { data: list } = useKnownList()
  if (!list || model.kind !== 'text') return null
  const { known, prices_as_of } = list
  const choices = choicesOf(draft, known)
  const fill = (choice: Choice) => void draft.edit(fillEdits(choice, path, model))
  const chosen = choices.find(
    ({ provider, one }) =>
      provider === textAt(model, 'routes', 0, 'provider') &&
      one.model === textAt(model, 'routes', 0, 'model'),
  )
  if (chosen)
    return <Listed choice={chosen} month={prices_as_of} fill={hasNoPrice(model) ? fill : undefined} />
  const taken = new Set(blocksOf(draft.values, 'models').map((block) => textAt(block, 'id')))
  const free = choices.filter(({ one }) => !taken.has(one.model))
  if (!isNew(model) || free.length === 0) return null
  return (
    <div className="stack">
      <p className="soft small">Known models, with their limits and the list prices of {prices_as_of}:</p>
      <div className="row">
        {free.map((choice) => (
          <Button key={`${choice.provider} ${choice.one.model}`} small onClick={() => fill(choice)}>
            {choice.one.model}
          </Button>
        ))}
      </div>
    </div>
  )
}

interface ListedProps {
  choice: Choice
  month: string
  /** Undefined: the model has a price. */
  fill: ((choice: Choice) => void) | undefined
}

function Listed({ choice, month, fill }: ListedProps) {
  const { known, one } = choice
  return (
    <div className="stack">
      <p className="soft small">
        {known.title} listed this model in {month}: {one.input} USD of input, {one.output} of output. Check
        the{' '}
        <a href={known.prices_url} target="_blank" rel="noreferrer">
          current prices
        </a>
        , and add what you want to earn.
      </p>
      {fill && (
        <div>
          <Button small onClick={() => fill(choice)}>
            Fill in the list price
          </Button>
        </div>
      )}
    </div>
  )
}

/** By the providers' servers or addresses, since their names are the operator's own. Simulated ones list nothing. */
function choicesOf(draft: Draft, known: readonly Known[]): Choice[] {
  return blocksOf(draft.values, 'providers').flatMap((block) => {
    const base_url = textAt(block, 'base_url').replace(/\/+$/, '')
    const server = textAt(block, 'server')
    const found = known.find(
      (each) =>
        each.prices_url !== '' && (each.server === server || (server === '' && each.base_url === base_url)),
    )
    return (found?.models ?? []).flatMap((one) =>
      found ? [{ provider: textAt(block, 'name'), known: found, one }] : [],
    )
  })
}

/** As it was added: nobody has named it yet. */
const isNew = (model: Block): boolean => /^new-model(-\d+)?$/.test(textAt(model, 'id'))

const hasNoPrice = (model: Block): boolean =>
  Number(textAt(model, 'price', 'input')) === 0 && Number(textAt(model, 'price', 'output')) === 0

function fillEdits({ provider, one }: Choice, path: Path, model: Block): Edit[] {
  const { input, output, cache_read, context, max_output_tokens } = one
  const set = (value: Value, ...to: Path): Edit => ({ op: 'set', path: [...path, ...to], value })
  return [
    ...(isNew(model) ? [set(one.model, 'id')] : []),
    set(provider, 'routes', 0, 'provider'),
    set(one.model, 'routes', 0, 'model'),
    set(cache_read === undefined ? { input, output } : { input, output, cache_read }, 'price'),
    set(context, 'context'),
    set(max_output_tokens, 'max_output_tokens'),
  ]
}
