// The record of a settled call, as metrics and spans use it.

import type { Nanos } from '../../src/domain/money.ts'
import { type CallOutcome, hasFailed } from '../../src/domain/outcomes.ts'
import type { Usage } from '../../src/domain/usage.ts'

export interface CountedCall extends Usage {
  surface: string
  model: string
  /** Empty if no provider was called. */
  provider: string
  upstream_model: string
  outcome: CallOutcome
  status: number
  streamed: number
  images: number
  started_at_ms: number
  first_byte_ms: number | null
  duration_ms: number
  failed_tries?: number
  /** The cost that the provider reports, and the cost computed from the route's prices; null if unknown. */
  reported_cost_nanos?: Nanos | null
  computed_cost_nanos?: Nanos | null
  /** JSON of `CallTrouble`. */
  trace?: string
}

export interface SettledCall {
  request_id: string
  cost_nanos: Nanos
  /** Null if unknown. */
  provider_cost_nanos: Nanos | null
  call: CountedCall
}

interface CallTrouble {
  tried?: { provider: string; failure_class: string }[]
  more_tried?: number
  failure?: { kind: string }
}

const NO_TROUBLE: CallTrouble = {}

/** Returns the failures of a call. Parses the trace only if an attempt failed. */
export function troubleOf(call: CountedCall): CallTrouble {
  const { failed_tries = 0, trace = '' } = call
  const is_smooth = !hasFailed(call) && failed_tries === 0
  return is_smooth || trace === '' ? NO_TROUBLE : JSON.parse(trace)
}
