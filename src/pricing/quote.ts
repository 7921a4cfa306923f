// Owns what a call can cost, before it: the ceiling that is held, and the least that makes it worth starting.
import type { Nanos } from '../domain/money.ts'
import { type ImagePrice, TOKENS_PER_RATE, type TokenPrice, type TokenRates } from '../domain/prices.ts'
import { INPUT_FIELDS, type InputField, type UsageField } from '../domain/usage.ts'
import { chargeImages, type ImageOrder } from './charge.ts'

/** The shortest answer that is still of use: a balance that does not pay this much is refused, not clamped. */
export const USEFUL_ANSWER_TOKENS = 256

/**
 * An estimate may be this far below the vendor's count, as a factor. Within it, a tier counts as reached: the sums of
 * two tiers differ by half or more, which is no error to leave to the caller's debt.
 */
export const ESTIMATE_MARGIN = 1.25

const OUTPUT_FIELDS = [
  'output_tokens',
  'thinking_tokens',
  'output_image_tokens',
] as const satisfies UsageField[]

export interface QuotedInput {
  /** An estimate of all that the model is made to read. */
  input_tokens: number
  /** How many candidates were asked for; each may be as long as the limit. */
  candidates: number
  /** How the input may be billed. Absent: in any way, also as the dearest cache write that the price knows. */
  input_fields?: readonly InputField[] | undefined
}

export interface QuotedRequest extends QuotedInput {
  /** The output limit of one candidate: the caller's, or the model's. */
  max_output_tokens: number
}

export interface Quote {
  /** The most that the call can cost, if the input is no larger than estimated. */
  ceiling_nanos: Nanos
  /** What must at least be held: the input, and an answer that is of use. Never more than the ceiling. */
  floor_nanos: Nanos
}

/** What one tier makes of a request: nano-dollars x 1,000,000, so that nothing is rounded yet. */
interface TierCost {
  input: bigint
  per_output_token: bigint
}

/**
 * The most and the least to hold for a call that is priced by tokens. Input and output are each taken at the dearest
 * rate that may apply, in the dearest of the tiers that the prompt may turn out to be in.
 *
 * @returns nano-dollars; a ceiling beyond what can be counted is the largest countable amount
 * @throws RangeError when a count is no whole number
 */
export function quote(price: TokenPrice, request: QuotedRequest): Quote {
  const costs = tierCosts(price, request)
  const useful_tokens = Math.min(USEFUL_ANSWER_TOKENS, request.max_output_tokens)
  return {
    ceiling_nanos: dearest(costs, request.max_output_tokens),
    floor_nanos: dearest(costs, useful_tokens),
  }
}

/**
 * The largest output limit of one candidate whose ceiling is not above what is held.
 *
 * @returns tokens; 0 where what is held does not even pay the input, the largest safe integer where output is free
 */
export function affordableOutput(price: TokenPrice, request: QuotedInput, held_nanos: Nanos): number {
  const held = BigInt(held_nanos) * TOKENS_PER_RATE
  const limits = tierCosts(price, request).map(({ input, per_output_token }) => {
    if (input > held) return 0
    if (per_output_token === 0n) return Number.MAX_SAFE_INTEGER
    return toSafeInteger((held - input) / per_output_token)
  })
  return Math.min(...limits)
}

/** What to hold for images: all that were asked for (spec.md, Image billing 2). There is no smaller useful order. */
export function quoteImages(price: ImagePrice, order: ImageOrder): Quote {
  const { cost_nanos } = chargeImages(price, order)
  return { ceiling_nanos: cost_nanos, floor_nanos: cost_nanos }
}

/** The request's cost in each tier that its prompt may be in: all that begin below its estimate, with the margin. */
function tierCosts(price: TokenPrice, request: QuotedInput): TierCost[] {
  const most_tokens = request.input_tokens * ESTIMATE_MARGIN
  const input_fields = request.input_fields ?? INPUT_FIELDS
  return price.tiers
    .filter((tier, index) => index === 0 || tier.above_tokens < most_tokens)
    .map(({ rates }) => ({
      input: BigInt(request.input_tokens) * dearestRate(rates, input_fields),
      per_output_token: BigInt(request.candidates) * dearestRate(rates, OUTPUT_FIELDS),
    }))
}

function dearestRate(rates: TokenRates, fields: readonly UsageField[]): bigint {
  let rate = 0
  for (const field of fields) rate = Math.max(rate, rates[field])
  return BigInt(rate)
}

function dearest(costs: TierCost[], output_tokens: number): Nanos {
  let most = 0n
  for (const { input, per_output_token } of costs) {
    const cost = input + BigInt(output_tokens) * per_output_token
    if (cost > most) most = cost
  }
  return toSafeInteger((most + TOKENS_PER_RATE - 1n) / TOKENS_PER_RATE)
}

function toSafeInteger(value: bigint): number {
  return Math.min(Number(value), Number.MAX_SAFE_INTEGER)
}
