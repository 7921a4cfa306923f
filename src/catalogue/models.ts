// Reads a model: its kind, its routes in the order of attempts, its price.
import { EFFORTS, type ImageModel, INPUT_MEDIA, type Model, type Route } from '../domain/catalogue.ts'
import type { Price } from '../domain/prices.ts'
import { costDivisor, type Divisor, priceDivisor } from './cache-reads.ts'
import { listed, type Report, validate } from './mistakes.ts'
import type { ImagePriceText, TokenPriceText, UnitPriceText } from './price-schema.ts'
import { checkLinesAreReached, readImagePrice, readTokenPrice, readUnitPrice } from './prices.ts'
import { MODEL_SCHEMAS, type ModelText } from './schema.ts'
import type { TomlPath } from './toml.ts'

type Kind = keyof typeof MODEL_SCHEMAS

/**
 * Checks a model against the schema of its kind.
 *
 * @returns undefined if mistakes were reported
 */
export function validateModel(part: unknown, path: TomlPath, report: Report): ModelText | undefined {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) {
    report(path, 'must be a table')
    return undefined
  }
  const kind = 'kind' in part ? part.kind : undefined
  if (isKind(kind)) return validate<(typeof MODEL_SCHEMAS)[Kind]>(MODEL_SCHEMAS[kind], part, path, report)
  report([...path, 'kind'], `must be ${listed(Object.keys(MODEL_SCHEMAS), 'or')}`)
  return undefined
}

/** The path of a model in the file, and the time of the file's last change. */
interface Place {
  path: TomlPath
  changed_at_ms: number
}

/**
 * Reads a model that matches its schema.
 *
 * @returns the model, meaningless if a mistake was reported
 */
export function readModel(text: ModelText, { path, changed_at_ms }: Place, report: Report): Model {
  const { created, display_name = text.id, routes, ...rest } = text
  const checkDay = (day: string | undefined, ...at: TomlPath) => {
    if (day !== undefined && !isDate(day))
      report([...path, ...at], 'must be a day that exists, such as "2026-03-31"')
  }
  checkDay(created, 'created')
  checkDay(rest.shutdown_date, 'shutdown_date')
  for (const [index, route] of routes.entries())
    checkDay(route.shutdown_date, 'routes', index, 'shutdown_date')
  const created_at_ms = created === undefined ? changed_at_ms : Date.parse(created)
  const written = readRoutes(rest.kind, routes, path, report)
  const base = { display_name, created_at_ms, routes: inOrder(written) }
  const price_path = [...path, 'price']
  switch (rest.kind) {
    case 'text': {
      const { context, max_output_tokens, cached_content } = rest
      if (max_output_tokens > context)
        report([...path, 'max_output_tokens'], `must be at most the model's context, which is ${context}`)
      const price = readTokenPrice(rest.price, price_path, report, priceDivisor(routes))
      const passes = cached_content === true || cached_content === 'pass'
      const efforts = rest.efforts && { efforts: EFFORTS.filter((each) => rest.efforts?.includes(each)) }
      const takes = rest.takes && { takes: INPUT_MEDIA.filter((each) => rest.takes?.includes(each)) }
      return { ...rest, ...base, ...efforts, ...takes, cached_content: passes ? 'pass' : 'refuse', price }
    }
    case 'embedding':
      return { ...rest, ...base, price: readTokenPrice(rest.price, price_path, report) }
    case 'image':
      return { ...rest, ...base, sizes: rest.sizes, price: readImagePrices(rest, written, path, report) }
    default:
      return { ...rest, ...base, price: readUnitPrice(rest.kind, rest.price, price_path, report) }
  }
}

/**
 * Removes routes to disabled providers from a model. If no other is left, it keeps them, with the reason in `unavailable`.
 *
 * @param disabled the missing environment variables of each disabled provider
 */
export function unlessDisabled(model: Model, disabled: ReadonlyMap<string, readonly string[]>): Model {
  if (disabled.size === 0) return model
  const [first, ...rest] = model.routes.filter(({ provider }) => !disabled.has(provider))
  if (first) return { ...model, routes: [first, ...rest] }
  const names = [...new Set(model.routes.map(({ provider }) => provider))]
  const variables = [...new Set(names.flatMap((name) => disabled.get(name) ?? []))]
  const are_disabled = names.length === 1 ? 'its provider is disabled' : 'all of its providers are disabled'
  const is_not_set = variables.some((name) => name.includes(':'))
    ? 'what they need is missing or cannot be used'
    : variables.length === 1
      ? 'the environment variable is not set'
      : 'environment variables are not set'
  return {
    ...model,
    unavailable: `${are_disabled} (${listed(names)}): ${is_not_set}: ${variables.join(', ')}`,
  }
}

/** @param text `YYYY-MM-DD`; `Date` would read a day beyond the end of its month as one of the next month */
function isDate(text: string): boolean {
  const date = new Date(text)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

const isKind = (kind: unknown): kind is Kind => typeof kind === 'string' && Object.hasOwn(MODEL_SCHEMAS, kind)

/** Reads the routes with their costs, in the order of the file. */
function readRoutes(kind: Kind, routes: ModelText['routes'], path: TomlPath, report: Report): Route[] {
  return routes.map(({ cost, ...route }, index) => {
    const cost_path = [...path, 'routes', index, 'cost']
    return cost === undefined
      ? route
      : { ...route, cost: readCost(kind, cost, { path: cost_path, divisor: costDivisor(route) }, report) }
  })
}

type ImageText = Pick<Extract<ModelText, { kind: 'image' }>, 'price' | 'bounds'>

/** Reads the price, and checks that costs have its form, and that `bounds` are only set for prices by tokens. */
function readImagePrices(
  { price: text, bounds }: ImageText,
  routes: readonly Route[],
  path: TomlPath,
  report: Report,
): ImageModel['price'] {
  const price = readImagePrice(text, [...path, 'price'], report)
  routes.forEach(({ cost }, index) => {
    if (cost && cost.unit !== price.unit)
      report(
        [...path, 'routes', index, 'cost'],
        'must be in the form of the price: both by image, or both by tokens',
      )
  })
  if (price.unit === 'image' && bounds.length > 0)
    report([...path, 'bounds'], 'is for prices by tokens: leave it out')
  checkLinesAreReached(bounds, [...path, 'bounds'], report)
  return price
}

/** Reads a cost, whose form the schema of the model's kind has checked. */
function readCost(
  kind: Kind,
  cost: Cost,
  { path, divisor }: { path: TomlPath; divisor: Divisor },
  report: Report,
): Price {
  if (kind === 'text' || kind === 'embedding')
    return readTokenPrice(cost as TokenPriceText, path, report, divisor)
  if (kind === 'image') return readImagePrice(cost as ImagePriceText, path, report)
  return readUnitPrice(kind, cost as UnitPriceText, path, report)
}

type Cost = NonNullable<ModelText['routes'][number]['cost']>

/** Sorts routes by `order`, and those of the same order as in the file. */
function inOrder(routes: readonly Route[]): Model['routes'] {
  const [first, ...rest] = routes.toSorted((one, other) => one.order - other.order)
  if (!first) throw new RangeError('a model without a route passed its schema')
  return [first, ...rest]
}
