// The states of an order, and which one may follow which: the one table that all changes go by. Pure.
import type { OrderState } from './tables.ts'

/**
 * The states that may follow each state. A payment that comes after its order expired or was cancelled is money all the same, and is credited.
 * A refunded payment may still be disputed, since banks decide that alone, and a refund may fail after the provider called it done.
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

/** The states that may come before one. */
export const precedingStates = (to: OrderState): OrderState[] =>
  (Object.keys(FOLLOWING) as OrderState[]).filter((state) => FOLLOWING[state].includes(to))

/** Reports whether an order was paid, whatever came after. */
export const wasPaid = (state: OrderState): boolean => !['open', 'expired', 'cancelled'].includes(state)

/** Reports whether an order may be refunded. */
export const isRefundable = (state: OrderState): boolean => FOLLOWING[state].includes('refunded')
