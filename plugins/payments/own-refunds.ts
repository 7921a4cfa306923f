// Matching of the refunds that a provider reports with the gateway's own. Pure.
import type { PaymentRefund } from '../../src/payment-api.ts'
import type { OrderRefund } from './tables.ts'

/** Ledger key of a refund's debit. */
export const refundDebitKey = ({ id }: Pick<OrderRefund, 'id'>): string => `refund:${id}`

/**
 * Idempotency key of a refund at the provider. It contains the row's time, since after a restored backup a new row may get the ID of a refund
 * that the provider remembers.
 */
export const providerRefundKey = ({ id, created_at_ms }: Pick<OrderRefund, 'id' | 'created_at_ms'>): string =>
  `refund:${id}-${created_at_ms}`

/** Finds the row of a refund that the provider reports. @returns undefined for a refund that was made at the provider */
export const findOwnRefund = (
  refunds: readonly OrderRefund[],
  { key, reference }: PaymentRefund,
): OrderRefund | undefined =>
  refunds.find(
    (one) => providerRefundKey(one) === key || (one.reference !== null && one.reference === reference),
  )
