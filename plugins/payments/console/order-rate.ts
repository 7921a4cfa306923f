// The rate at which accounts make orders at their pages.
import type { OwnRate } from '../../../src/access/rate.ts'
import { rateLimited } from '../../../src/domain/errors.ts'
import { counted } from '../../../src/utilities/counted.ts'

/** Each begins a payment at its method, which counts requests: cancelled ones, too, take from what others may pay. */
export const MAX_ORDERS_A_MINUTE = 30

/** @throws GatewayError rate_limited */
export function takeOrderOf(account_id: number, page_orders: OwnRate): void {
  const { admitted, resets_in_s: retry_after_s } = page_orders.take(account_id, MAX_ORDERS_A_MINUTE)
  if (admitted) return
  throw rateLimited(
    `The account has made ${MAX_ORDERS_A_MINUTE} orders within a minute. Try again in ${counted(retry_after_s, 'second')}.`,
    { retry_after_s },
  )
}
