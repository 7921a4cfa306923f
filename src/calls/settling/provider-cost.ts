// The cost of a call at its providers: as they report it, else by the routes' cost of the attempts that answered, made images or failed.
import type { ImageTokens } from '../../domain/image-tokens.ts'
import type { Nanos } from '../../domain/money.ts'
import { totalTokens, type Usage } from '../../domain/usage.ts'
import { billUsage, CONTEXT_MARGIN, UNBOUNDED } from '../../money/pricing/billed-usage.ts'
import type { Charge } from '../../money/pricing/charge.ts'
import { sumImageTokens } from '../../money/pricing/image-tokens.ts'
import { providerCost } from '../../money/pricing/provider-cost.ts'
import type { UpstreamFailure } from '../../protocols/facts.ts'
import type { Attempt } from '../../upstream/routes.ts'

/** Tokens of an answer with images. */
export interface ImageAnswerTokens {
  readonly attempt: Attempt
  readonly tokens: ImageTokens
}

interface Charged {
  readonly charge: Charge
  readonly usage: Usage
  /** The attempt of each image; absent if one attempt made them all. */
  readonly image_attempts?: readonly Attempt[]
  /** The same of images that are priced by tokens, with those of each answer. */
  readonly tokens_by_answer?: readonly ImageAnswerTokens[]
  readonly reported_cost_nanos?: Nanos | undefined
}

/** The costs in a call's record. */
interface RecordedCosts {
  provider_cost_nanos: Nanos | null
  reported_cost_nanos: Nanos | null
  computed_cost_nanos: Nanos | null
}

/**
 * @param delivered undefined for a call that is charged for nothing
 * @param attempt the last that answered; undefined if none was reached
 * @param failed_nanos the cost of the call's failed tries
 */
export function costsOf(
  delivered: Charged | undefined,
  attempt: Attempt | undefined,
  failed_nanos: Nanos,
): RecordedCosts {
  if (!delivered)
    return { provider_cost_nanos: failed_nanos || null, reported_cost_nanos: null, computed_cost_nanos: null }
  const computed = computedCost(delivered, attempt)
  const reported = believedCost(delivered.usage, delivered.reported_cost_nanos)
  const known = reported ?? computed
  return {
    provider_cost_nanos: known === null ? null : Math.min(known + failed_nanos, Number.MAX_SAFE_INTEGER),
    reported_cost_nanos: reported,
    computed_cost_nanos: reported === null ? null : computed,
  }
}

/** A 0 beside billed tokens is a cost that the provider left out. */
function believedCost(usage: Usage, reported_nanos: Nanos | undefined): Nanos | null {
  if (reported_nanos === undefined) return null
  return reported_nanos === 0 && totalTokens(usage) > 0 ? null : reported_nanos
}

/** A failed try whose usage is not believed costs nothing. */
const NOTHING = { input_tokens: 0, outputTokens: () => 0 }

/**
 * The cost of a failed try, where the provider bills it: where its answer, under status 200, has a usage.
 * @param context of the model, in tokens; a usage beyond what fits is no usage
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

function computedCost(charged: Charged, attempt: Attempt | undefined): Nanos | null {
  const { charge, usage, image_attempts, tokens_by_answer } = charged
  if (tokens_by_answer) return costOfTokens(tokens_by_answer)
  if (image_attempts) return costOfImages(charged, image_attempts)
  return attempt?.cost ? providerCost(attempt.cost, usage, charge) : null
}

/** The cost of images by tokens, summed by route. */
function costOfTokens(answers: readonly ImageAnswerTokens[]): Nanos | null {
  let sum = 0
  for (const [cost, parts] of Map.groupBy(answers, ({ attempt }) => attempt.cost)) {
    if (!cost) return null
    const { usage, ...counted } = sumImageTokens(parts.map(({ tokens }) => tokens))
    const part = providerCost(cost, usage, { counted })
    if (part === null) return null
    sum += part
  }
  return Number.isSafeInteger(sum) ? sum : null
}

/** The cost of images by number, summed by route: rounded once. */
function costOfImages({ charge, usage }: Charged, image_attempts: readonly Attempt[]): Nanos | null {
  const { counted } = charge
  if (!counted || !('order' in counted)) return null
  let sum = 0
  for (const cost of new Set(image_attempts.map((attempt) => attempt.cost))) {
    if (!cost) return null
    const count = image_attempts.filter((attempt) => attempt.cost === cost).length
    const part = providerCost(cost, usage, { counted: { order: { ...counted.order, count } } })
    if (part === null) return null
    sum += part
  }
  return Number.isSafeInteger(sum) ? sum : null
}
