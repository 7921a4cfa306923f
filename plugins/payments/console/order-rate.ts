// Rate limit of payments that accounts start in the console: orders, payment pages, card pages, charges of saved cards.
import type { OwnRate } from '../../../src/access/rate.ts'
import type { Viewer } from '../../../src/access/viewer.ts'
import { rateLimited } from '../../../src/domain/errors.ts'
import { counted } from '../../../src/utilities/counted.ts'

/** Payment methods limit the gateway's requests, so one account must not use up the requests of others. */
export const MAX_ORDERS_A_MINUTE = 30

/** Counts a payment. Does not limit the staff. @throws GatewayError rate_limited */
export function requirePaymentQuota({ side }: Pick<Viewer, 'side'>, account_id: number, rate: OwnRate): void {
  if (side === 'operator') return
  const { admitted, resets_in_s: retry_after_s } = rate.take(account_id, MAX_ORDERS_A_MINUTE)
  if (admitted) return
  throw rateLimited(
    `This account started ${MAX_ORDERS_A_MINUTE} payments within a minute. Try again in ${counted(retry_after_s, 'second')}.`,
    { retry_after_s },
  )
}
