// Changes of orders: what brought them about, and which states they may follow. Pure.
import type { ActionContext } from '../../src/domain/actions.ts'
import type { MoneyOutcome } from '../../src/money/ledger/operations.ts'
import type { ChangeSource, StateChange } from '../../src/store/state-changes.ts'
import { precedingStates } from './states.ts'
import type { Order, OrderState } from './tables.ts'

/** The source of a change, and its person for the audit log. */
export interface Cause {
  source: ChangeSource
  by?: ActionContext | undefined
}

/** The change of an order to a state, from all that it may follow. */
export const changeOf = (
  { id }: Pick<Order, 'id'>,
  to: OrderState,
  { source }: Cause,
  detail: StateChange['detail'] = {},
): StateChange => ({ table: 'orders', id, from: precedingStates(to), to, source, detail })

/**
 * A line that the order keeps its state, with a movement that is for this state only: where the order has changed meanwhile, nothing moves.
 */
export const guardOf = (
  { id, state }: Pick<Order, 'id' | 'state'>,
  { source }: Cause,
  detail: StateChange['detail'],
): StateChange => ({ table: 'orders', id, from: [state], to: state, source, detail })

/** The same movement under the same key: the row alone lacks its mark, as in a database that was restored in part. */
export const wasMadeBefore = (outcome: MoneyOutcome): boolean => outcome.ok && outcome.first !== undefined
