// The state machine of an order: the allowed transitions, which every change of state obeys. Pure.
import type { OrderState } from './tables.ts'

/**
 * The states that may follow each state. A payment that arrives after its order expired or was cancelled is credited. A refunded payment may
 * still be disputed, since only the bank decides on disputes, and a refund may fail after the provider reported it as done.
 */
export const FOLLOWING: Readonly<Record<OrderState, readonly OrderState[]>> = {
  open: ['paid', 'expired', 'cancelled'],
  expired: ['paid'],
  cancelled: ['paid'],
  paid: ['partly_refunded', 'refunded', 'refund_failed', 'disputed'],
  partly_refunded: ['partly_refunded', 'refunded', 'refund_failed', 'disputed'],
  refund_failed: ['partly_refunded', 'refunded', 'refund_failed', 'disputed'],
  refunded: ['refund_failed', 'disputed'],
  disputed: ['won', 'lost'],
  won: ['partly_refunded', 'refunded', 'refund_failed', 'disputed'],
  lost: [],
}

/** The states from which an order may change to a state. */
export const precedingStates = (to: OrderState): OrderState[] =>
  (Object.keys(FOLLOWING) as OrderState[]).filter((state) => FOLLOWING[state].includes(to))

/** Whether an order was paid, also if it was refunded or disputed later. */
export const wasPaid = (state: OrderState): boolean => !['open', 'expired', 'cancelled'].includes(state)

export const isRefundable = (state: OrderState): boolean => FOLLOWING[state].includes('refunded')
