// The shares of payments: credited to the referrer with the payment, and what refunds and lost disputes take of it.
import type { Nanos } from '../../src/domain/money.ts'
import { DAY_MS } from '../../src/domain/ranges.ts'
import type { Ledger, Share } from '../../src/money/ledger/operations.ts'
import type { Logger } from '../../src/observe/log.ts'
import type { Db } from '../../src/store/db.ts'
import { keptOf, shareOfPayment } from './amounts.ts'
import type { ReferralSettings } from './settings.ts'
import { changedPayments, isOpen, movedOf, referralOf, type SharedPayment } from './store.ts'

export interface SharingParts {
  db: Db
  ledger: Pick<Ledger, 'submit'>
  now: () => number
  log: Pick<Logger, 'warn'>
  settings: () => ReferralSettings
}

const NOTE = 'Referral'

/** The share of a referrer in a payment, credited in its transaction. */
export async function sharesOfPayment(
  { db, now, settings }: Pick<SharingParts, 'db' | 'now' | 'settings'>,
  { id, account_id, credit_nanos }: { id: number; account_id: number; credit_nanos: Nanos },
): Promise<Share[]> {
  if (settings().per_mille === 0) return []
  const referral = await referralOf(db, account_id)
  if (!referral) return []
  const amount_nanos = shareOfPayment({ credit_nanos }, referral, settings(), now())
  if (amount_nanos === 0 || !(await isOpen(db, referral.referrer_id))) return []
  return [{ account_id: referral.referrer_id, amount_nanos, note: NOTE, request_key: `referral:${id}` }]
}

/** Orders that changed before are at rest. */
const LOOKED_AT_MS = 30 * DAY_MS
/** A payment that a command marked has its share from here, so long after it. */
const CREDITED_MS = DAY_MS

/**
 * Brings the shares of payments to what has become of them: refunds and lost disputes take their part, failed refunds give it again. Each
 * movement is made once, whoever else does the same.
 */
export async function settleShares(parts: SharingParts): Promise<void> {
  const since_ms = parts.now() - LOOKED_AT_MS
  for (let after_id = 0; ; ) {
    const payments = await changedPayments(parts.db, since_ms, after_id)
    for (const payment of payments) await settleShare(parts, payment)
    const last = payments.at(-1)
    if (!last) return
    after_id = last.order_id
  }
}

async function settleShare(parts: SharingParts, payment: SharedPayment): Promise<void> {
  const { order_id, referrer_id, state, amount_minor, refunded_minor } = payment
  const { shared_nanos, taken_nanos, given_again_nanos, movements } = await movedOf(parts.db, payment)
  if (shared_nanos === undefined) {
    await creditMissing(parts, payment)
    return
  }
  const gone_minor = state === 'lost' ? amount_minor : refunded_minor
  const due_nanos =
    keptOf(shared_nanos, { amount_minor, gone_minor }) - (shared_nanos + given_again_nanos - taken_nanos)
  if (due_nanos === 0) return
  const movement = {
    account_id: referrer_id,
    amount_nanos: Math.abs(due_nanos),
    note: due_nanos < 0 ? `${NOTE}: payment given back` : `${NOTE}: refund failed`,
    now_ms: parts.now(),
  }
  const key = `${order_id}:${movements}`
  const outcome = await parts.ledger.submit(
    due_nanos < 0
      ? { op: 'open_debt', ...movement, request_key: `referral-back:${key}` }
      : { op: 'top_up', ...movement, request_key: `referral-again:${key}` },
  )
  if (!outcome.ok && outcome.refusal !== 'request_key_used')
    parts.log.warn(
      { order: order_id, account_id: referrer_id },
      `a referral share was refused: ${outcome.refusal}`,
    )
}

async function creditMissing(parts: SharingParts, payment: SharedPayment): Promise<void> {
  const { order_id: id, paid_at_ms, state } = payment
  if (state !== 'paid' || paid_at_ms === null || paid_at_ms < parts.now() - CREDITED_MS) return
  const [share] = await sharesOfPayment(parts, { id, ...payment })
  if (share) await parts.ledger.submit({ op: 'top_up', ...share, now_ms: parts.now() })
}
