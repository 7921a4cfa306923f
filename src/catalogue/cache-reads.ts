// The default rates of cache reads, by model generation, as a fraction of the provider's input rate.

import type { Model } from '../domain/catalogue.ts'
import { divideRoundingUp, formatUsd, type Nanos } from '../domain/money.ts'
import type { Report } from './mistakes.ts'
import type { ModelText } from './schema.ts'

/** The divisor of the input rate: 10 for a tenth. */
export type Divisor = number

/** For models of an unknown generation, and the highest default rate: spec.md, Messages-protocol request. */
export const DEFAULT_DIVISOR: Divisor = 10

/** The first match applies. Other servers' models are not listed, since each has its own rate. */
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

/** A version in `opus-4-6`, `3-7-sonnet` or `fable-5.1`. A number with more digits is a date. */
const VERSION = /(?:^|\D)(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/
const DATE = /\d{3,}/g

/** @param model the name that identifies its generation @returns undefined for an unknown generation */
export function knownDivisor(model: string): Divisor | undefined {
  const [, major = 0, minor = 0] = VERSION.exec(model.replace(DATE, '')) ?? []
  const version = Number(major) * 100 + Number(minor)
  return ROWS.find(([family, from]) => version >= from && family.test(model))?.[2]
}

type RouteText = Pick<ModelText['routes'][number], 'model' | 'generation'>

/** The default for a route's cost: the provider's fraction. */
export const costDivisor = ({ model, generation }: RouteText): Divisor =>
  knownDivisor(generation ?? model) ?? DEFAULT_DIVISOR

/** The default for a price: the fraction of the most expensive route's provider, at most a tenth. */
export const priceDivisor = (routes: readonly RouteText[]): Divisor =>
  Math.max(DEFAULT_DIVISOR, Math.min(...routes.map(costDivisor)))

/** Prices are rounded, so rates within 2 % of each other count as equal. */
const TOLERANCE = 0.02

/** Warns if the price's rate of cache reads is another fraction of its input rate than the provider's. */
export function warnOfCacheReads(text: ModelText, { price }: Model, model: number, warn: Report): void {
  if (text.kind !== 'text' || price.unit !== 'token') return
  const { input_tokens: input, cache_read_tokens: cache_read } = price.tiers[0].rates
  const names = text.routes.map((route) => route.generation ?? route.model)
  const known = names.map((name) => ({ name, divisor: knownDivisor(name) }))
  const dearest = known.reduce((one, other) => ((other.divisor ?? 0) < (one.divisor ?? 0) ? other : one))
  const { name, divisor } = dearest
  // Without a warning if the generation of any route is unknown.
  if (divisor === undefined || known.some((each) => each.divisor === undefined)) return
  const wanted = divideRoundingUp(BigInt(input), BigInt(divisor))
  if (isNear(cache_read, wanted)) return
  warn(
    ['models', model, 'price', ...(text.price.cache_read === undefined ? [] : ['cache_read'])],
    `has cache reads at ${formatUsd(cache_read)}, but ${name} bills them at ${1 / divisor} of its input: write cache_read = ${formatUsd(wanted)} for the same part of this price`,
  )
}

const isNear = (rate: Nanos, wanted: Nanos): boolean => Math.abs(rate - wanted) <= wanted * TOLERANCE
