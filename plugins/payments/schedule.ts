// The refresh schedule of an order. Pure.
import { DAY_MS, HOUR_MS } from '../../src/domain/ranges.ts'
import type { Order } from './tables.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000

/** Delays after the creation of an open order; then hourly. They bound the delay of a credit whose webhook was lost. */
const OPEN_AFTER_MS = [
  10 * SECOND_MS,
  30 * SECOND_MS,
  MINUTE_MS,
  2 * MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
] as const

/** Delays after the payment, for disputes and refunds whose webhook was lost. Banks accept disputes for 120 days. */
const PAID_AFTER_MS = [DAY_MS, 7 * DAY_MS, 30 * DAY_MS, 60 * DAY_MS, 121 * DAY_MS] as const

/** Delays after the order expired or was cancelled: the person may have paid on a page that was still open, and the webhook may be lost. */
const CLOSED_AFTER_MS = [HOUR_MS, DAY_MS, 7 * DAY_MS] as const

/** The poller resumes an unfinished refund after this time. */
export const REFUND_RESUME_MS = MINUTE_MS
/** Interval of refreshes for a refund that is pending at the provider. */
export const REFUND_REFRESH_MS = HOUR_MS

/** Retry delays while the provider does not answer: for an open order, and for any other one. */
const RETRY_OPEN_MS = 5 * MINUTE_MS
const RETRY_MS = HOUR_MS

/** Duration of the retries of the last scheduled refresh. */
const LAST_RETRY_MS = 7 * DAY_MS
/** An open order whose provider is silent closes this long after its expiry. A payment that arrives later is credited all the same. */
const CLOSE_AFTER_MS = DAY_MS

type OrderTimes = Pick<
  Order,
  'state' | 'created_at_ms' | 'changed_at_ms' | 'expires_at_ms' | 'paid_at_ms' | 'pending_since_ms'
>

/** Returns the time of the next refresh after one that the provider did not answer; null: no further one is scheduled. */
export function nextRetry(order: OrderTimes, now_ms: number): number | null {
  const is_open = order.state === 'open'
  const wait_ms = is_open ? RETRY_OPEN_MS : RETRY_MS
  const next_ms = nextRefresh(order, is_open || order.pending_since_ms !== null, now_ms)
  if (next_ms !== null) return Math.min(next_ms, now_ms + wait_ms)
  // This was the last scheduled refresh, or a retry of it.
  return nextRefresh(order, false, now_ms - LAST_RETRY_MS) === null ? null : now_ms + wait_ms
}

/** Whether an order whose provider does not answer is to be closed. An order with a pending payment stays open. */
export const isAbandoned = (
  { state, expires_at_ms, pending_since_ms }: Pick<Order, 'state' | 'expires_at_ms' | 'pending_since_ms'>,
  now_ms: number,
): boolean => state === 'open' && pending_since_ms === null && now_ms >= expires_at_ms + CLOSE_AFTER_MS

/**
 * Returns the time of the next refresh; null: only webhooks and people cause further ones.
 *
 * @param is_under_way the person has paid, and the money has not arrived
 */
export function nextRefresh(
  { state, created_at_ms, changed_at_ms, expires_at_ms, paid_at_ms }: Omit<OrderTimes, 'pending_since_ms'>,
  is_under_way: boolean,
  now_ms: number,
): number | null {
  if (state === 'open') {
    const after_ms = OPEN_AFTER_MS.find((wait_ms) => created_at_ms + wait_ms > now_ms)
    const next_ms = after_ms === undefined ? now_ms + HOUR_MS : created_at_ms + after_ms
    return is_under_way || next_ms < expires_at_ms ? next_ms : Math.max(expires_at_ms, now_ms + SECOND_MS)
  }
  if (state === 'disputed') return now_ms + DAY_MS
  if (state === 'lost') return null
  const is_closed = state === 'expired' || state === 'cancelled'
  if (is_closed && is_under_way) return now_ms + DAY_MS
  const since_ms = is_closed ? changed_at_ms : (paid_at_ms ?? created_at_ms)
  const after_ms = (is_closed ? CLOSED_AFTER_MS : PAID_AFTER_MS).find(
    (wait_ms) => since_ms + wait_ms > now_ms,
  )
  return after_ms === undefined ? null : since_ms + after_ms
}
