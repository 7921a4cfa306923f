// Quotes: the most that a call can cost, which is held, and the least that makes it worth starting.
import { addProduct, divideRoundingUp, type Nanos, type Whole } from '../../domain/money.ts'
import {
  type ImagePrice,
  type Tier,
  TOKENS_PER_RATE,
  type TokenPrice,
  type TokenRates,
} from '../../domain/prices.ts'
import { INPUT_FIELDS, type InputField, OUTPUT_FIELDS, type UsageField } from '../../domain/usage.ts'
import { chargeImages, type ImageOrder } from './charge.ts'

/** The shortest useful output. If the balance does not cover it, the call is refused instead of lowering the output limit further. */
export const USEFUL_ANSWER_TOKENS = 256

/** A rate applies to this many tokens, so the costs below are in nano-dollars times this number. */
const NANOS_OF_RATE = Number(TOKENS_PER_RATE)

/**
 * The factor by which a bound may be below the provider's count, since tokenizers differ. A tier within this margin counts as reached:
 * the prices of two tiers differ by half or more, which is too much to become the caller's debt.
 */
export const ESTIMATE_MARGIN = 1.25

interface QuotedInput {
  /** The most tokens that the model can read. */
  input_bound_tokens: number
  /** Answers requested; each may be as long as the limit. */
  candidates: number
  /** The ways in which the input may be billed. Absent: any, including the price's most expensive cache write. */
  input_fields?: readonly InputField[] | undefined
  /** The most that is billed beyond tokens; 0 if absent. */
  extras_nanos?: Nanos
}

export interface QuotedRequest extends QuotedInput {
  /** The output limit of one candidate: the caller's, or the model's. */
  max_output_tokens: number
}

export interface Quote {
  /** The most that the call can cost. */
  ceiling_nanos: Nanos
  /** The least that must be held: the input and the shortest useful output. Never more than the ceiling. */
  floor_nanos: Nanos
}

/** The cost of a request in one tier, in nano-dollars x 1,000,000, so that nothing is rounded yet. */
interface TierCost {
  /** The cost of the input, and of everything else that does not depend on the output. */
  input: Whole
  per_output_token: Whole
}

/**
 * Returns the most and the least to hold for a call priced by tokens. Input and output are each priced at the highest
 * rate that may apply, in the most expensive tier that the prompt may reach.
 *
 * @returns nano-dollars; a ceiling above the safe integers becomes the largest safe integer
 * @throws RangeError if a count is not a whole number
 */
export function quote(price: TokenPrice, request: QuotedRequest): Quote {
  const { max_output_tokens } = request
  const useful_tokens = Math.min(USEFUL_ANSWER_TOKENS, max_output_tokens)
  let ceiling: Whole = 0
  let floor: Whole = 0
  for (const tier of price.tiers) {
    if (!mayApply(tier, price, request)) continue
    const cost = costIn(tier, request)
    ceiling = larger(ceiling, withOutput(cost, max_output_tokens))
    floor = larger(floor, withOutput(cost, useful_tokens))
  }
  return { ceiling_nanos: inNanos(ceiling), floor_nanos: inNanos(floor) }
}

/**
 * Returns the largest output limit whose ceiling is at most the hold.
 *
 * @returns tokens; 0 if the hold does not even cover the input, the largest safe integer if output is free
 */
export function affordableOutput(price: TokenPrice, request: QuotedInput, held_nanos: Nanos): number {
  const held = addProduct(0, held_nanos, NANOS_OF_RATE)
  let tokens = Number.MAX_SAFE_INTEGER
  for (const tier of price.tiers)
    if (mayApply(tier, price, request)) tokens = Math.min(tokens, outputWithin(held, costIn(tier, request)))
  return tokens
}

/** Quotes the price of all requested images (spec.md, Image billing 2), since fewer are of no use. */
export function quoteImages(price: ImagePrice, order: ImageOrder): Quote {
  const { cost_nanos } = chargeImages(price, order)
  return { ceiling_nanos: cost_nanos, floor_nanos: cost_nanos }
}

/** Whether the prompt may reach a tier: the first one always, others if they begin below the bound with its margin. */
const mayApply = (tier: Tier, { tiers }: TokenPrice, { input_bound_tokens }: QuotedInput): boolean =>
  tier === tiers[0] || tier.above_tokens < input_bound_tokens * ESTIMATE_MARGIN

function costIn({ rates }: Tier, request: QuotedInput): TierCost {
  const { input_bound_tokens, input_fields = INPUT_FIELDS, extras_nanos = 0, candidates } = request
  const extras = addProduct(0, extras_nanos, NANOS_OF_RATE)
  return {
    input: addProduct(extras, input_bound_tokens, highestRate(rates, input_fields)),
    per_output_token: addProduct(0, candidates, highestRate(rates, OUTPUT_FIELDS)),
  }
}

function highestRate(rates: TokenRates, fields: readonly UsageField[]): Nanos {
  let rate = 0
  for (const field of fields) rate = Math.max(rate, rates[field])
  return rate
}

const withOutput = ({ input, per_output_token }: TierCost, tokens: number): Whole =>
  typeof per_output_token === 'number'
    ? addProduct(input, tokens, per_output_token)
    : BigInt(input) + BigInt(tokens) * per_output_token

/** Returns the most output that the rest of the hold can pay for. */
function outputWithin(held: Whole, { input, per_output_token }: TierCost): number {
  if (input > held) return 0
  if (per_output_token <= 0) return Number.MAX_SAFE_INTEGER
  if (typeof held === 'number' && typeof input === 'number' && typeof per_output_token === 'number') {
    const left = held - input
    return (left - (left % per_output_token)) / per_output_token
  }
  return toSafeInteger((BigInt(held) - BigInt(input)) / BigInt(per_output_token))
}

const larger = (one: Whole, other: Whole): Whole => (other > one ? other : one)

const inNanos = (cost: Whole): Nanos =>
  typeof cost === 'number'
    ? divideRoundingUp(cost, TOKENS_PER_RATE)
    : toSafeInteger((cost + TOKENS_PER_RATE - 1n) / TOKENS_PER_RATE)

function toSafeInteger(value: bigint): number {
  return Math.min(Number(value), Number.MAX_SAFE_INTEGER)
}
