// What a draft changes: models with their prices before and after, providers, settings.
import { exactUsd, share } from '../amounts.ts'
import type { Changes } from './values.ts'

const nothingIn = ({ models, providers, settings }: Changes): boolean =>
  models.length + providers.length + settings.length === 0

export function ChangeList({ changes }: { changes: Changes }) {
  if (nothingIn(changes))
    return (
      <p className="soft">
        Nothing of what is in force changes: only the words of the file, such as comments.
      </p>
    )
  const { models, providers, settings } = changes
  return (
    <ul className="changes">
      {models.map((model) => (
        <li key={`model ${model.id}`}>
          <span>
            {VERBS[model.change]} the model <strong>{model.id}</strong>
            {model.what.length > 0 && <>: {model.what.map(words).join(', ')}</>}
          </span>
          {model.prices.map((price) => (
            <PriceChange key={`${price.name} ${price.of}`} price={price} />
          ))}
        </li>
      ))}
      {providers.map((provider) => (
        <li key={`provider ${provider.name}`}>
          {VERBS[provider.change]} the provider <strong>{provider.name}</strong>
          {provider.what.length > 0 && <>: {provider.what.map(words).join(', ')}</>}
        </li>
      ))}
      {settings.map((setting) => (
        <li key={setting}>
          Changes <code>{setting}</code>
        </li>
      ))}
    </ul>
  )
}

const VERBS = { added: 'Adds', removed: 'Removes', changed: 'Changes' } as const

const words = (field: string): string => field.replaceAll('_', ' ')

type Price = Changes['models'][number]['prices'][number]

/** "input: 0.30 → 0.35 USD per million tokens (+17 %)" */
function PriceChange({ price: { name, of, per, before_nanos, after_nanos } }: { price: Price }) {
  const before = before_nanos === null ? 'none' : exactUsd(before_nanos)
  const after = after_nanos === null ? 'none' : exactUsd(after_nanos)
  const part =
    before_nanos !== null && after_nanos !== null && before_nanos > 0 ? after_nanos / before_nanos - 1 : null
  return (
    <span className="price-change">
      {words(name)}
      {of !== '' && ` (${of})`}: <s>{before}</s> <span aria-hidden>→</span> <strong>{after}</strong> USD per{' '}
      {per}
      {part !== null && (
        <span className="soft">
          {' '}
          ({part > 0 ? '+' : '−'}
          {share(Math.abs(part))})
        </span>
      )}
    </span>
  )
}
