// Cache reads by generation: what part of its input rate a provider takes for input that was read from a cache.

import type { Model } from '../domain/catalogue.ts'
import { divideRoundingUp, formatUsd, type Nanos } from '../domain/money.ts'
import type { Report } from './mistakes.ts'
import type { ModelText } from './schema.ts'

/** `1` of so much: 10 for a tenth of the input rate. */
export type Divisor = number

/** Of all models of whose generation nothing is known, and the most that is ever a default: spec.md, Messages-protocol request. */
export const DEFAULT_DIVISOR: Divisor = 10

/** The first row that fits holds. What a name does not tell has none: of other servers each model has a rate of its own. */
const ROWS: readonly (readonly [family: RegExp, from: number, divisor: Divisor])[] = [
  // https://platform.claude.com/docs/en/about-claude/pricing, "Prompt caching", as of 2026-10: 0.025 since Fable 5.1 (release notes of
  // 2026-09-01), 0.05 for Opus 5.5 and, since 2026-10-07, Sonnet 5.5; Haiku 5.5 as the others.
  [/claude.*(?:fable|mythos)/, 501, 40],
  [/claude.*(?:opus|sonnet)/, 505, 20],
  [/claude.*(?:fable|mythos|opus|sonnet|haiku)/, 300, 10],
  // https://developers.openai.com/api/docs/pricing, "Cached input"; litellm 1.110.2, model_prices_and_context_window_backup.json.
  [/gpt-4o|(?:^|[/.])(?:o1|o3-mini)(?![\d.])/, 0, 2],
  [/gpt-4\.1|(?:^|[/.])(?:o3|o4-mini)(?![\d.])/, 0, 4],
  [/gpt-6\.[1-9]/, 0, 20],
  [/gpt-[56](?![\d])/, 0, 10],
  // https://ai.google.dev/gemini-api/docs/pricing, "Context caching price"; litellm 1.110.2.
  [/gemini-2\.0/, 0, 4],
  [/gemini-(?:2\.5|3)(?!\d)/, 0, 10],
  [/gemini-4(?!\d)/, 0, 20],
]

/** `opus-4-6`, `3-7-sonnet`, `fable-5.1`: a number of more digits is a date. */
const VERSION = /(?:^|\D)(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/
const DATE = /\d{3,}/g

/** @param model by the name that tells its generation @returns undefined where the name tells none */
export function knownDivisor(model: string): Divisor | undefined {
  const [, major = 0, minor = 0] = VERSION.exec(model.replace(DATE, '')) ?? []
  const version = Number(major) * 100 + Number(minor)
  return ROWS.find(([family, from]) => version >= from && family.test(model))?.[2]
}

type RouteText = Pick<ModelText['routes'][number], 'model' | 'generation'>

/** The default of a route's cost: what its provider takes. */
export const costDivisor = ({ model, generation }: RouteText): Divisor =>
  knownDivisor(generation ?? model) ?? DEFAULT_DIVISOR

/** The default of a price: what the dearest route's provider takes, and never more than a tenth. */
export const priceDivisor = (routes: readonly RouteText[]): Divisor =>
  Math.max(DEFAULT_DIVISOR, Math.min(...routes.map(costDivisor)))

/** Prices are rounded: a rate within two hundredths of another one is the same. */
const TOLERANCE = 0.02

/** Warns of a rate, written or by default, at which cache reads are another part of the input than their provider takes. */
export function warnOfCacheReads(text: ModelText, { price }: Model, model: number, warn: Report): void {
  if (text.kind !== 'text' || price.unit !== 'token') return
  const { input_tokens: input, cache_read_tokens: cache_read } = price.tiers[0].rates
  const names = text.routes.map((route) => route.generation ?? route.model)
  const known = names.map((name) => ({ name, divisor: knownDivisor(name) }))
  const dearest = known.reduce((one, other) => ((other.divisor ?? 0) < (one.divisor ?? 0) ? other : one))
  const { name, divisor } = dearest
  // Of several routes one may be of a model that nothing is known of.
  if (divisor === undefined || known.some((each) => each.divisor === undefined)) return
  const wanted = divideRoundingUp(BigInt(input), BigInt(divisor))
  if (isNear(cache_read, wanted)) return
  warn(
    ['models', model, 'price', ...(text.price.cache_read === undefined ? [] : ['cache_read'])],
    `has cache reads at ${formatUsd(cache_read)}, but ${name} bills them at ${1 / divisor} of its input: write cache_read = ${formatUsd(wanted)} for the same part of this price`,
  )
}

const isNear = (rate: Nanos, wanted: Nanos): boolean => Math.abs(rate - wanted) <= wanted * TOLERANCE
