// The rate at which accounts begin payments at their pages: orders, their pages to pay on, pages to save a card, charges of saved cards.
import type { OwnRate } from '../../../src/access/rate.ts'
import type { Viewer } from '../../../src/access/viewer.ts'
import { rateLimited } from '../../../src/domain/errors.ts'
import { counted } from '../../../src/utilities/counted.ts'

/** Each asks a payment method, which counts requests: those of one account take from what others may pay. */
export const MAX_ORDERS_A_MINUTE = 30

/** @throws GatewayError rate_limited */
export function takeOrderOf({ side }: Pick<Viewer, 'side'>, account_id: number, rate: OwnRate): void {
  if (side === 'operator') return
  const { admitted, resets_in_s: retry_after_s } = rate.take(account_id, MAX_ORDERS_A_MINUTE)
  if (admitted) return
  throw rateLimited(
    `The account has begun ${MAX_ORDERS_A_MINUTE} payments within a minute. Try again in ${counted(retry_after_s, 'second')}.`,
    { retry_after_s },
  )
}
