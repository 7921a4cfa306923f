// Owns the form of a price that is calculated with: nano-dollars per million tokens, by tier; or per image.
import type { Nanos } from '../money.ts'
import type { UsageField } from '../usage.ts'

/** Nano-dollars per million tokens, one rate for each field of Usage. */
export type TokenRates = Readonly<Record<UsageField, Nanos>>

/** A tier prices the whole request when its prompt has more than `above_tokens` tokens. */
export interface Tier {
  readonly above_tokens: number
  readonly rates: TokenRates
  /** The rates as JSON, made once: stored with each call that they priced. */
  readonly snapshot: string
}

/** Prices by token, the tiers by rising `above_tokens`; the first one starts at 0 (and applies to 0 too). */
export interface TokenPrice {
  readonly unit: 'token'
  readonly tiers: readonly [Tier, ...Tier[]]
}

export interface ImageVariant {
  readonly size: string | undefined
  readonly quality: string | undefined
  readonly per_image_nanos: Nanos
}

export interface ImagePrice {
  readonly unit: 'image'
  readonly per_image_nanos: Nanos
  readonly variants: readonly ImageVariant[]
}

export type Price = TokenPrice | ImagePrice
