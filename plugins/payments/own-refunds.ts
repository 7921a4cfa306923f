// The gateway's own refunds among those that a provider reports. Pure.
import type { PaymentRefund } from '../../src/payment-api.ts'
import type { OrderRefund } from './tables.ts'

/** The key of what a refund takes from the balance. */
export const refundKey = ({ id }: Pick<OrderRefund, 'id'>): string => `refund:${id}`

/**
 * The key that a refund is asked for with. After a backup was restored, its number may be that of another refund, which the provider
 * remembers: its time tells them apart.
 */
export const askingKey = ({ id, created_at_ms }: Pick<OrderRefund, 'id' | 'created_at_ms'>): string =>
  `refund:${id}-${created_at_ms}`

/** The row of a refund that the provider reports. @returns undefined for one that somebody made at the provider */
export const ownOf = (
  refunds: readonly OrderRefund[],
  { key, reference }: PaymentRefund,
): OrderRefund | undefined =>
  refunds.find((one) => askingKey(one) === key || (one.reference !== null && one.reference === reference))
