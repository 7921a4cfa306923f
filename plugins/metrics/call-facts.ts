// The facts of a settled call, from its record, for metrics and spans.

import type { Nanos } from '../../src/domain/money.ts'
import { type CallOutcome, hasFailed } from '../../src/domain/outcomes.ts'
import type { Usage } from '../../src/domain/usage.ts'

/** The record of a call, as far as it is counted. */
export interface CountedCall extends Usage {
  surface: string
  model: string
  /** Empty if no route was reached. */
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
  /** The cost that the provider reports, and that of the route; null if unknown. */
  reported_cost_nanos?: Nanos | null
  computed_cost_nanos?: Nanos | null
  /** JSON; see `TroubleIn`. */
  trace?: string
}

export interface SettledCall {
  request_id: string
  cost_nanos: Nanos
  /** Null if unknown. */
  provider_cost_nanos: Nanos | null
  call: CountedCall
}

interface TroubleIn {
  tried?: { provider: string; failure_class: string }[]
  more_tried?: number
  failure?: { kind: string }
}

const NO_TROUBLE: TroubleIn = {}

/** The failures of a call. The trace is read only where something failed: most calls have none. */
export function troubleIn(call: CountedCall): TroubleIn {
  const { failed_tries = 0, trace = '' } = call
  const is_smooth = !hasFailed(call) && failed_tries === 0
  return is_smooth || trace === '' ? NO_TROUBLE : JSON.parse(trace)
}
