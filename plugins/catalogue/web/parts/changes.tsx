// The changes of a draft: models with prices before and after, providers, and settings.
import { exactUsd, share } from '../../../console/web/parts/amounts.ts'
import { Notice } from '../../../console/web/parts/notice.tsx'
import type { Changes } from './values.ts'

export function ChangeList({ changes }: { changes: Changes }) {
  if (changes.length === 0) return <p className="soft">No settings change, only comments or formatting.</p>
  return (
    <ul className="changes">
      {changes.map((part) => (
        <li key={`${part.kind} ${part.name}`}>
          <span>
            <Headline {...part} />
          </span>
          {part.change === 'added' && part.kind === 'model' ? (
            <NewPrice prices={part.prices} />
          ) : (
            <PriceChanges prices={part.prices} />
          )}
          {part.margins.map((margin) => (
            <RouteMargin key={`${margin.provider} ${margin.model}`} {...margin} />
          ))}
          {part.change === 'added' && part.kind === 'model' && part.margins.length === 0 && (
            <span className="price-change soft">Cost unknown, so its margin is unknown, too.</span>
          )}
        </li>
      ))}
    </ul>
  )
}

type Part = Changes[number]

/** "Changes the model flash: routes". Price changes have their own lines. */
function Headline({ kind, name, change, fields }: Part) {
  if (kind === 'setting')
    return (
      <>
        Changes the setting <code>{name}</code>
      </>
    )
  const others = fields.filter((field) => field !== 'price')
  return (
    <>
      {VERBS[change]} the {words(kind)} <strong>{name}</strong>
      {others.length > 0 && <>: {others.map(words).join(', ')}</>}
    </>
  )
}

type Margin = Part['margins'][number]

/** "At acme (gpt-5): input costs 0.30, margin 0.075 USD, 20 %". Omits rates that follow from input or output. */
function RouteMargin({ provider, model, lines }: Margin) {
  const listed = lines.filter(
    ({ name, price_nanos, cost_nanos }) => (price_nanos > 0 || cost_nanos > 0) && !FOLLOWERS.includes(name),
  )
  if (listed.length === 0) return null
  return (
    <span className="price-change">
      At {provider} ({model}): {listed.map(marginWords).join('; ')}
    </span>
  )
}

const inBrackets = (of: string): string => (of === '' ? '' : ` (${of})`)

type Line = Margin['lines'][number]

function marginWords({ name, of, price_nanos, cost_nanos, margin_nanos, margin_percent }: Line): string {
  const rate = `${words(name)}${inBrackets(of)} costs ${exactUsd(cost_nanos)}`
  if (price_nanos === 0) return `${rate} and is free for callers`
  return `${rate}, margin ${exactUsd(margin_nanos)} USD, ${(margin_percent ?? '0').replace('-', '−')} %`
}

/** Omits rates that follow from input or output, if that rate loses money too. */
const withoutFollowers = (lines: readonly Line[]): readonly Line[] =>
  lines.filter(
    ({ name, of }) =>
      !FOLLOWERS.includes(name) || !lines.some((other) => LEADERS.includes(other.name) && other.of === of),
  )

const losses = (changes: Changes) =>
  changes.flatMap(({ name: model, margins }) =>
    margins.flatMap(({ provider, lines }) =>
      withoutFollowers(lines.filter(({ margin_nanos }) => margin_nanos < 0)).map((line) => ({
        model,
        provider,
        line,
      })),
    ),
  )

const lossesInGroups = (changes: Changes) =>
  changes.flatMap(({ group_losses }) =>
    group_losses.flatMap(({ group, model, provider, lines }) =>
      withoutFollowers(lines).map((line) => ({ model: `${model} for ${group}`, provider, line })),
    ),
  )

export const isBelowCost = (changes: Changes): boolean =>
  losses(changes).length + lossesInGroups(changes).length > 0

/** Losses to list: a group may have all of its models below cost. */
const MAX_LOSSES = 20

export function BelowCost({ changes }: { changes: Changes }) {
  const all = [...losses(changes), ...lossesInGroups(changes)]
  if (all.length === 0) return null
  const more = all.length - MAX_LOSSES
  return (
    <Notice tone="bad" alert>
      <p>These prices are below your cost:</p>
      <ul>
        {all
          .slice(0, MAX_LOSSES)
          .map(({ model, provider, line: { name, of, per, price_nanos, cost_nanos, margin_nanos } }) => (
            <li key={`${model} ${provider} ${name} ${of}`}>
              {model}, {words(name)}
              {inBrackets(of)}: sells at {exactUsd(price_nanos)}, costs {exactUsd(cost_nanos)} at {provider}.
              You lose {exactUsd(-margin_nanos)} USD per {per}.
            </li>
          ))}
        {more > 0 && <li>and {more} more</li>}
      </ul>
    </Notice>
  )
}

const VERBS = { added: 'Adds', removed: 'Removes', changed: 'Changes' } as const

const words = (field: string): string => field.replace(/^api_/, '').replaceAll('_', ' ')

type Price = Part['prices'][number]

/** "Sells at: input 0.30, output 2.50 USD per million tokens", or a warning if the model is free. */
function NewPrice({ prices }: { prices: readonly Price[] }) {
  if (prices.every(({ after_nanos }) => after_nanos === 0))
    return <span className="price-change tone-bad">Sells at 0.00: callers pay nothing for this model.</span>
  return [...Map.groupBy(prices, ({ per }) => per)].map(([per, lines]) => (
    <span className="price-change" key={per}>
      Sells at:{' '}
      {lines
        .filter((price) => isListed(price, lines))
        .map(
          ({ name, of, after_nanos }) => `${rateWords(name)}${inBrackets(of)} ${exactUsd(after_nanos ?? 0)}`,
        )
        .join(', ')}{' '}
      USD per {per}
    </span>
  ))
}

const FOLLOWERS: readonly string[] = [
  'audio',
  'cache_read',
  'cache_write_5m',
  'cache_write_1h',
  'thinking',
  'image_output',
]
const LEADERS: readonly string[] = ['input', 'output']

/** Whether to list a rate of a new price: omits rates of 0, and rates that follow from input or output. */
const isListed = ({ name, after_nanos }: Price, all: readonly Price[]): boolean =>
  after_nanos !== 0 &&
  !name.startsWith('cache_write') &&
  !(
    FOLLOWERS.includes(name) &&
    all.some((other) => LEADERS.includes(other.name) && other.after_nanos === after_nanos)
  )

/** Empty for `per_image` and similar rates: the end of the line names their unit. */
const rateWords = (name: string): string => (name.startsWith('per_') ? '' : words(name))

const ratioOf = ({ before_nanos, after_nanos }: Price): number | null =>
  before_nanos && after_nanos !== null ? after_nanos / before_nanos : null

/** Lists changed rates. A rate that changes by the same factor as input or output is listed beside it. */
function PriceChanges({ prices }: { prices: readonly Price[] }) {
  const leaders = prices.filter(({ name }) => LEADERS.includes(name))
  const leaderOf = (price: Price): Price | undefined =>
    FOLLOWERS.includes(price.name)
      ? leaders.find((leader) => leader.of === price.of && isSameRatio(ratioOf(leader), ratioOf(price)))
      : undefined
  return prices
    .filter((price) => leaderOf(price) === undefined)
    .map((price) => (
      <PriceChange
        key={`${price.name} ${price.of}`}
        price={price}
        followers={prices.filter((other) => leaderOf(other) === price).map(({ name }) => words(name))}
      />
    ))
}

/** Allows a small difference, since derived rates are rounded up to a nano-dollar. */
const isSameRatio = (one: number | null, other: number | null): boolean =>
  one !== null && other !== null && Math.abs(one - other) < 1e-6

/** "input: 0.30 → 0.35 USD per million tokens (+17 %)" */
function PriceChange({ price, followers }: { price: Price; followers: readonly string[] }) {
  const { name, of, per, before_nanos, after_nanos } = price
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
      {followers.length > 0 && <span className="soft">, and with it {followers.join(', ')}</span>}
    </span>
  )
}
