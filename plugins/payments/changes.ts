// Changes of an order's state: their cause and the states from which they are allowed. Pure.
import type { ActionContext } from '../../src/domain/actions.ts'
import type { MoneyOutcome } from '../../src/money/ledger/operations.ts'
import type { ChangeSource, StateChange } from '../../src/store/state-changes.ts'
import { precedingStates } from './states.ts'
import type { Order, OrderState } from './tables.ts'

/** The source of a change, and the actor for the audit log. */
export interface Cause {
  source: ChangeSource
  by?: ActionContext | undefined
}

/** Builds the change of an order to a state, from any state that allows it. */
export const changeOf = (
  { id }: Pick<Order, 'id'>,
  to: OrderState,
  { source }: Cause,
  detail: StateChange['detail'] = {},
): StateChange => ({ table: 'orders', id, from: precedingStates(to), to, source, detail })

/**
 * Builds a change from the order's state to the same state. A ledger operation that carries it fails if the order has changed meanwhile.
 */
export const unchangedGuard = (
  { id, state }: Pick<Order, 'id' | 'state'>,
  { source }: Cause,
  detail: StateChange['detail'],
): StateChange => ({ table: 'orders', id, from: [state], to: state, source, detail })

/** Whether the ledger had executed this operation before, while the row lacks its new state, as in a database that was restored in part. */
export const isReplay = (outcome: MoneyOutcome): boolean => outcome.ok && outcome.first !== undefined
