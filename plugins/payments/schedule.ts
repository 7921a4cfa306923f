// The times of looks at an order. Pure.
import { DAY_MS, HOUR_MS } from '../../src/domain/ranges.ts'
import type { Order } from './tables.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000

/** After it was made, while nothing is known; then hourly. A lost webhook costs so much. */
const OPEN_AFTER_MS = [
  10 * SECOND_MS,
  30 * SECOND_MS,
  MINUTE_MS,
  2 * MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
] as const

/** After it was paid: for disputes and refunds whose webhook was lost. Banks take disputes for 120 days. */
const PAID_AFTER_MS = [DAY_MS, 7 * DAY_MS, 30 * DAY_MS, 60 * DAY_MS, 121 * DAY_MS] as const

/** After it expired or was cancelled: somebody may have paid on a page that was still open, and its webhook may be lost. */
const CLOSED_AFTER_MS = [HOUR_MS, DAY_MS, 7 * DAY_MS] as const

/** A refund that a kill has left behind is gone on with after it. */
export const REFUND_RESUMED_AFTER_MS = MINUTE_MS
/** Of a refund that the provider has and has not decided. */
export const REFUND_LOOK_AGAIN_MS = HOUR_MS

/** While the provider does not answer: an open order, and any other one. */
const UNANSWERED_OPEN_MS = 5 * MINUTE_MS
const UNANSWERED_MS = HOUR_MS

/** The last look of all is tried for so long. */
const LAST_TRIED_MS = 7 * DAY_MS
/** An open order whose provider says nothing of it for so long after its end is closed: a payment that comes is credited all the same. */
const GIVEN_UP_AFTER_MS = DAY_MS

type Looked = Pick<
  Order,
  'state' | 'created_at_ms' | 'changed_at_ms' | 'expires_at_ms' | 'paid_at_ms' | 'pending_since_ms'
>

/** The moment of the next look after one that the provider did not answer; null: that was the last. */
export function nextTry(order: Looked, now_ms: number): number | null {
  const is_open = order.state === 'open'
  const wait_ms = is_open ? UNANSWERED_OPEN_MS : UNANSWERED_MS
  const next_ms = nextLook(order, is_open || order.pending_since_ms !== null, now_ms)
  if (next_ms !== null) return Math.min(next_ms, now_ms + wait_ms)
  // The one that should have been the last was this one, or a try of it.
  return nextLook(order, false, now_ms - LAST_TRIED_MS) === null ? null : now_ms + wait_ms
}

/** Reports whether an order whose provider does not answer is closed. Money that was on its way is waited for. */
export const isGivenUp = (
  { state, expires_at_ms, pending_since_ms }: Pick<Looked, 'state' | 'expires_at_ms' | 'pending_since_ms'>,
  now_ms: number,
): boolean => state === 'open' && pending_since_ms === null && now_ms >= expires_at_ms + GIVEN_UP_AFTER_MS

/**
 * The moment of the next look; null: none, but for webhooks and people.
 *
 * @param is_under_way the person has paid, and the money has not arrived
 */
export function nextLook(
  { state, created_at_ms, changed_at_ms, expires_at_ms, paid_at_ms }: Omit<Looked, 'pending_since_ms'>,
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
