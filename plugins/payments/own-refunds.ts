// The gateway's own refunds among those that a provider reports. Pure.
import type { PaymentRefund } from '../../src/payment-api.ts'
import type { OrderRefund } from './tables.ts'

/** The key that a refund is asked for with. */
export const refundKey = ({ id }: Pick<OrderRefund, 'id'>): string => `refund:${id}`

/** The row of a refund that the provider reports. @returns undefined for one that somebody made at the provider */
export const ownOf = (
  refunds: readonly OrderRefund[],
  { key, reference }: PaymentRefund,
): OrderRefund | undefined =>
  refunds.find((one) => refundKey(one) === key || (one.reference !== null && one.reference === reference))
