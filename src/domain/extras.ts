// Extras: items that a provider bills besides tokens. Their prices, a request's extras, and a call's charges for them.
import type { Nanos } from './money.ts'

/**
 * The price of an extra. `per: 'call'`: once for a call that uses it; `per: 'unit'`: for each unit; `per: 'request'`: for
 * every call.
 */
export interface ExtraPrice {
  readonly per: 'call' | 'unit' | 'request'
  readonly nanos: Nanos
  /** The maximum units of one call, which are held for; no more are charged. 1 except for `per: 'unit'`. */
  readonly max_units: number
  /** Whether the provider may bill it for any call, even if the request does not ask for it. */
  readonly always?: boolean
}

/** The name of a provider's fee for every request. */
export const REQUEST_FEE = 'request'

/** The name of a requested service tier, which is priced by tier, not as an extra. */
export const SERVICE_TIER = 'service_tier'

/** The name of a requested longer context, which is priced by the prompt's size, not as an extra. */
export const LONG_CONTEXT = 'long_context'

/** By the name of the extra, such as `web_search`. */
export type ExtraPrices = ReadonlyMap<string, ExtraPrice>

/** An extra of a request. */
export interface RequestedExtra {
  readonly name: string
  /** The field that requests it, as the caller wrote it; for messages. */
  readonly at: string
  /** The name of a service tier; undefined if the value names none. */
  readonly tier?: string | undefined
  /** The caller's own limit of units. */
  readonly max_units?: number
  /** False for a field that only permits an extra, such as a beta header: it needs a price, but is not charged. */
  readonly is_charged: boolean
}

/** The charge of a call for an extra: `units` times `nanos`. */
export interface ExtraCharge {
  readonly name: string
  readonly per: ExtraPrice['per']
  readonly nanos: Nanos
  readonly units: number
}
