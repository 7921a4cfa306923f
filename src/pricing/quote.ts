// Quotes: the most that a call can cost, which is held, and the least that makes it worth starting.
import type { Nanos } from '../domain/money.ts'
import { type ImagePrice, TOKENS_PER_RATE, type TokenPrice, type TokenRates } from '../domain/prices.ts'
import { INPUT_FIELDS, type InputField, OUTPUT_FIELDS, type UsageField } from '../domain/usage.ts'
import { chargeImages, type ImageOrder } from './charge.ts'

/** The shortest useful output: a balance that does not cover this much is refused instead of lowering the limit further. */
export const USEFUL_ANSWER_TOKENS = 256

/**
 * The factor by which an estimate may be below the provider's count. A tier within it counts as reached: the prices of two
 * tiers differ by half or more, too much to become the caller's debt.
 */
export const ESTIMATE_MARGIN = 1.25

export interface QuotedInput {
  /** An estimate of all tokens that the model reads. */
  input_tokens: number
  /** Answers asked for; each may be as long as the limit. */
  candidates: number
  /** How the input may be billed. Absent: in any way, including the most expensive cache write of the price. */
  input_fields?: readonly InputField[] | undefined
  /** The most that is billed beyond tokens; 0 where absent. */
  extras_nanos?: Nanos
}

export interface QuotedRequest extends QuotedInput {
  /** The output limit of one candidate: the caller's, or the model's. */
  max_output_tokens: number
}

export interface Quote {
  /** The most that the call can cost if the input is no larger than estimated. */
  ceiling_nanos: Nanos
  /** The least that must be held: the input and the shortest useful output. Never more than the ceiling. */
  floor_nanos: Nanos
}

/** The cost of a request in one tier, in nano-dollars x 1,000,000, so that nothing is rounded yet. */
interface TierCost {
  /** Of the input, and of all that does not hang on the output. */
  input: bigint
  per_output_token: bigint
}

/**
 * The most and the least to hold for a call that is priced by tokens. Input and output are each priced at the highest
 * rate that may apply, in the most expensive of the tiers that the prompt may be in.
 *
 * @returns nano-dollars; a ceiling above the safe integers becomes the largest safe integer
 * @throws RangeError when a count is not a whole number
 */
export function quote(price: TokenPrice, request: QuotedRequest): Quote {
  const costs = tierCosts(price, request)
  const useful_tokens = Math.min(USEFUL_ANSWER_TOKENS, request.max_output_tokens)
  return {
    ceiling_nanos: highestCost(costs, request.max_output_tokens),
    floor_nanos: highestCost(costs, useful_tokens),
  }
}

/**
 * The largest output limit whose ceiling is not above what is held.
 *
 * @returns tokens; 0 where the hold does not even cover the input, the largest safe integer where output is free
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

/** What to hold for images: the price of all that were asked for (spec.md, Image billing 2). Fewer are of no use. */
export function quoteImages(price: ImagePrice, order: ImageOrder): Quote {
  const { cost_nanos } = chargeImages(price, order)
  return { ceiling_nanos: cost_nanos, floor_nanos: cost_nanos }
}

/** The cost of a request in each tier that its prompt may be in: those that begin below the estimate with its margin. */
function tierCosts(price: TokenPrice, request: QuotedInput): TierCost[] {
  const largest_prompt = request.input_tokens * ESTIMATE_MARGIN
  const input_fields = request.input_fields ?? INPUT_FIELDS
  const extras = BigInt(request.extras_nanos ?? 0) * TOKENS_PER_RATE
  return price.tiers
    .filter((tier, index) => index === 0 || tier.above_tokens < largest_prompt)
    .map(({ rates }) => ({
      input: BigInt(request.input_tokens) * highestRate(rates, input_fields) + extras,
      per_output_token: BigInt(request.candidates) * highestRate(rates, OUTPUT_FIELDS),
    }))
}

function highestRate(rates: TokenRates, fields: readonly UsageField[]): bigint {
  let rate = 0
  for (const field of fields) rate = Math.max(rate, rates[field])
  return BigInt(rate)
}

function highestCost(costs: TierCost[], output_tokens: number): Nanos {
  let highest = 0n
  for (const { input, per_output_token } of costs) {
    const cost = input + BigInt(output_tokens) * per_output_token
    if (cost > highest) highest = cost
  }
  return toSafeInteger((highest + TOKENS_PER_RATE - 1n) / TOKENS_PER_RATE)
}

function toSafeInteger(value: bigint): number {
  return Math.min(Number(value), Number.MAX_SAFE_INTEGER)
}
