// What is known of a call from its hold on.
import type { Caller } from '../../access/gate.ts'
import type { Nanos } from '../../domain/money.ts'

export interface HeldCall {
  hold_id: number
  held_nanos: Nanos
  request_id: string
  /** The header of its request; null if it has none. */
  traceparent: string | null
  surface: string
  model_id: string
  streamed: boolean
  caller: Caller
  started_ms: number
}
