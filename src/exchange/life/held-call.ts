// What is known of a call from its hold on.
import type { Caller } from '../../access/gate.ts'
import type { Nanos } from '../../domain/money.ts'
import type { ReopenOperation } from '../../ledger/operations.ts'

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

/** Its hold, as a later process would open it again: by then it is over. */
export const openedHold = ({
  caller,
  request_id,
  held_nanos,
  started_ms,
}: HeldCall): Omit<ReopenOperation, 'op'> => ({
  account_id: caller.account.id,
  key_id: caller.key.id,
  request_id,
  amount_nanos: held_nanos,
  now_ms: started_ms,
  expires_at_ms: started_ms,
})
