// Prices for calculation: nano-dollars per million tokens, by tier; per image; or per other unit.
import type { ExtraPrices } from './extras.ts'
import type { ImageTokenRate } from './image-tokens.ts'
import type { Nanos } from './money.ts'
import type { RateName } from './units.ts'
import type { UsageField } from './usage.ts'

/** The number of tokens that a rate is for. */
export const TOKENS_PER_RATE = 1_000_000n

/** Nano-dollars per million tokens, one rate for each field of Usage. */
export type TokenRates = Readonly<Record<UsageField, Nanos>>

/** A tier prices the whole request when its prompt has more than `above_tokens` tokens. */
export interface Tier {
  readonly above_tokens: number
  readonly rates: TokenRates
  /** The tier as JSON, serialized once, and stored with each call that it priced. */
  readonly snapshot: string
}

/** Prices per token. The tiers ascend by `above_tokens`; the first one starts at 0, and also applies to 0 tokens. */
export interface TokenPrice {
  readonly unit: 'token'
  readonly tiers: readonly [Tier, ...Tier[]]
  /** The prices of extras. An extra without a price is refused. */
  readonly extras?: ExtraPrices | undefined
  /** The service tier of this price; absent for the standard tier. */
  readonly service_tier?: string
  /** The prices of other service tiers by name. A tier without a price is refused. */
  readonly service_tiers?: ReadonlyMap<string, TokenPrice> | undefined
}

/** A line of the price list. An undefined field matches any value. */
export interface ImageVariant {
  readonly size: string | undefined
  readonly quality: string | undefined
  readonly per_image_nanos: Nanos
}

export interface ImagePrice {
  readonly unit: 'image'
  readonly per_image_nanos: Nanos
  /** The first match applies; without a match, `per_image_nanos`. */
  readonly variants: readonly ImageVariant[]
  /** The price of each partial image before the final one. If absent, partial images are not requested. */
  readonly partial_image_nanos?: Nanos | undefined
  /** The surcharge per image of an edit with `input_fidelity: high`. If absent, it is refused. */
  readonly high_fidelity_nanos?: Nanos | undefined
}

/** Image prices by tokens: nano-dollars per million, one rate for each kind of token. */
export interface ImageTokenPrice {
  readonly unit: 'image_token'
  readonly rates: Readonly<Record<ImageTokenRate, Nanos>>
}

/** Prices by other units, each at its rate; a unit without a rate is free. */
export interface UnitPrice {
  readonly unit: 'unit'
  readonly rates: readonly { readonly name: RateName; readonly nanos: Nanos }[]
}

export type Price = TokenPrice | ImagePrice | ImageTokenPrice | UnitPrice
