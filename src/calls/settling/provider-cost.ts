// A call's cost at its providers: as they report it; otherwise by the routes' costs, for attempts that answered, made images or failed.
import type { ImageTokens } from '../../domain/image-tokens.ts'
import type { Nanos } from '../../domain/money.ts'
import { totalTokens, type Usage } from '../../domain/usage.ts'
import { billUsage, CONTEXT_MARGIN, UNBOUNDED } from '../../money/pricing/billed-usage.ts'
import type { Charge } from '../../money/pricing/charge.ts'
import { sumImageTokens } from '../../money/pricing/image-tokens.ts'
import { providerCost } from '../../money/pricing/provider-cost.ts'
import type { UpstreamFailure } from '../../protocols/facts.ts'
import type { Attempt } from '../../upstream/routes.ts'

/** The tokens of an answer with images. */
export interface ImageAnswerTokens {
  readonly attempt: Attempt
  readonly tokens: ImageTokens
}

interface Charged {
  readonly charge: Charge
  readonly usage: Usage
  /** The attempt of each image; absent if one attempt made them all. */
  readonly image_attempts?: readonly Attempt[]
  /** For images priced by tokens: the attempt and tokens of each answer. */
  readonly tokens_by_answer?: readonly ImageAnswerTokens[]
  readonly reported_cost_nanos?: Nanos | undefined
}

/** The cost of an attempt at its provider. */
export interface RouteCost {
  readonly attempt: Attempt
  readonly nanos: Nanos
}

/** The costs in a call's record. */
interface RecordedCosts {
  provider_cost_nanos: Nanos | null
  reported_cost_nanos: Nanos | null
  computed_cost_nanos: Nanos | null
  /** The part of `provider_cost_nanos` from routes other than `attempt`, in the record's format; null without any. */
  costs_elsewhere: string | null
}

/**
 * @param delivered undefined for a call that is not charged
 * @param attempt the last that answered; undefined if none did
 * @param failed the failed tries that cost something
 */
export function costsOf(
  delivered: Charged | undefined,
  attempt: Attempt | undefined,
  failed: readonly RouteCost[],
): RecordedCosts {
  const failed_nanos = sumOf(failed)
  if (!delivered)
    return {
      provider_cost_nanos: failed_nanos || null,
      reported_cost_nanos: null,
      computed_cost_nanos: null,
      costs_elsewhere: costsElsewhere(failed, attempt),
    }
  const parts = computedCosts(delivered, attempt)
  const computed = parts && sumOf(parts)
  const reported = acceptedCost(delivered.usage, delivered.reported_cost_nanos)
  const known = reported ?? computed
  return {
    provider_cost_nanos: known === null ? null : capNanos(known + failed_nanos),
    reported_cost_nanos: reported,
    computed_cost_nanos: reported === null ? null : computed,
    // A reported cost covers the whole call.
    costs_elsewhere:
      known === null
        ? null
        : costsElsewhere([...(reported === null ? (parts ?? []) : []), ...failed], attempt),
  }
}

const capNanos = (nanos: Nanos): Nanos => Math.min(nanos, Number.MAX_SAFE_INTEGER)

const addCost = (sum: Nanos, { nanos }: RouteCost): Nanos => sum + nanos

const sumOf = (costs: readonly RouteCost[]): Nanos => capNanos(costs.reduce(addCost, 0))

/** Sums costs by route, in the order in which the routes were reached. */
function costsElsewhere(costs: readonly RouteCost[], own: Attempt | undefined): string | null {
  const others = costs.filter(
    ({ attempt }) => attempt.provider.name !== own?.provider.name || attempt.model !== own.model,
  )
  if (others.length === 0) return null
  const by_route = Map.groupBy(others, ({ attempt }) =>
    JSON.stringify([attempt.provider.name, attempt.model]),
  )
  return JSON.stringify(
    [...by_route.values()].map((some) => [
      some[0]?.attempt.provider.name,
      some[0]?.attempt.model,
      sumOf(some),
    ]),
  )
}

/** Returns the reported cost. A 0 together with billed tokens means that the provider omitted the cost. */
function acceptedCost(usage: Usage, reported_nanos: Nanos | undefined): Nanos | null {
  if (reported_nanos === undefined) return null
  return reported_nanos === 0 && totalTokens(usage) > 0 ? null : reported_nanos
}

/** The estimate for a failed try whose usage is not accepted: it costs nothing. */
const NOTHING = { input_tokens: 0, outputTokens: () => 0 }

/**
 * Returns the cost of a failed try if the provider bills it: if its answer, with status 200, reports usage.
 * @param context the model's context in tokens; a usage beyond what fits into it is ignored
 */
export function costOfTry(
  { cost }: Attempt,
  { usage: reported }: UpstreamFailure,
  context: number | undefined,
): Nanos {
  if (reported?.cost_nanos) return reported.cost_nanos
  if (reported === undefined || cost?.unit !== 'token') return 0
  const most = context === undefined ? undefined : CONTEXT_MARGIN * context
  const bounds = most === undefined ? UNBOUNDED : { input_tokens: most, output_tokens: most }
  const { usage } = billUsage(cost, reported, bounds, NOTHING)
  return providerCost(cost, usage, {}) ?? 0
}

/** Computes the costs of the routes that answered; null if the cost of one of them is unknown. */
function computedCosts(charged: Charged, attempt: Attempt | undefined): RouteCost[] | null {
  const { charge, usage, image_attempts, tokens_by_answer } = charged
  if (tokens_by_answer) return costsOfTokens(tokens_by_answer)
  if (image_attempts) return costsOfImages(charged, image_attempts)
  if (!attempt?.cost) return null
  const nanos = providerCost(attempt.cost, usage, charge)
  return nanos === null ? null : [{ attempt, nanos }]
}

/** Returns the cost of images priced by tokens, summed by route. */
function costsOfTokens(answers: readonly ImageAnswerTokens[]): RouteCost[] | null {
  const costs: RouteCost[] = []
  for (const [cost, parts] of Map.groupBy(answers, ({ attempt }) => attempt.cost)) {
    const [first] = parts
    if (!cost || !first) return null
    const { usage, ...counted } = sumImageTokens(parts.map(({ tokens }) => tokens))
    const nanos = providerCost(cost, usage, { counted })
    if (nanos === null) return null
    costs.push({ attempt: first.attempt, nanos })
  }
  return safeOrNull(costs)
}

/** Returns the cost of images priced by count, summed by route and rounded once. */
function costsOfImages({ charge, usage }: Charged, image_attempts: readonly Attempt[]): RouteCost[] | null {
  const { counted } = charge
  if (!counted || !('order' in counted)) return null
  const costs: RouteCost[] = []
  for (const [cost, attempts] of Map.groupBy(image_attempts, (attempt) => attempt.cost)) {
    const [first] = attempts
    if (!cost || !first) return null
    const nanos = providerCost(cost, usage, {
      counted: { order: { ...counted.order, count: attempts.length } },
    })
    if (nanos === null) return null
    costs.push({ attempt: first, nanos })
  }
  return safeOrNull(costs)
}

const safeOrNull = (costs: RouteCost[]): RouteCost[] | null =>
  Number.isSafeInteger(costs.reduce(addCost, 0)) ? costs : null
