// Extras: what a provider bills beyond tokens. Their prices, what a call asks for, and what it is charged for.
import type { Nanos } from './money.ts'

/**
 * The price of one extra. `per: 'call'` is paid once by a call that used it, `per: 'unit'` for each unit of it, `per: 'request'` by
 * every call.
 */
export interface ExtraPrice {
  readonly per: 'call' | 'unit' | 'request'
  readonly nanos: Nanos
  /** The most units of one call: so much is held for, and no more is ever charged. 1 but for `per: 'unit'`. */
  readonly max_units: number
  /** The provider may bill it to any call, whether its request asks for it or not. */
  readonly always?: boolean
}

/** The name of what a provider bills for every request. */
export const REQUEST_FEE = 'request'

/** The name under which a request asks for a service tier, which is priced by tier and not as an extra. */
export const SERVICE_TIER = 'service_tier'

/** The name under which a request asks for a longer context: the price of its prompt is that of its size, and no extra. */
export const LONG_CONTEXT = 'long_context'

/** By the name of the extra, such as `web_search`. */
export type ExtraPrices = ReadonlyMap<string, ExtraPrice>

/** An extra that a request asks for. */
export interface RequestedExtra {
  readonly name: string
  /** Where the request asks for it, as the caller wrote it; for messages. */
  readonly at: string
  /** Of a service tier, its name; undefined for a value that names none. */
  readonly tier?: string | undefined
  /** The caller's own limit of units. */
  readonly max_units?: number
  /** False for what only allows an extra that is asked for elsewhere, such as a beta: it needs a price, and costs nothing. */
  readonly is_charged: boolean
}

/** The charge of a call for an extra: `units` times `nanos`. */
export interface ExtraCharge {
  readonly name: string
  readonly per: ExtraPrice['per']
  readonly nanos: Nanos
  readonly units: number
}
