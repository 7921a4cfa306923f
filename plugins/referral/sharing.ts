// Shares of referrers: credited with the payment, and adjusted after refunds and disputes.
import type { Share } from '../../src/money/ledger/operations.ts'
import {
  type SharingParts as PaymentParts,
  SHARE_CREDIT_WITHIN_MS,
  SHARE_SETTLE_WITHIN_MS,
  settleShare,
} from '../payments/index.ts'
import { shareOfPayment } from './amounts.ts'
import type { ReferralSettings } from './settings.ts'
import { changedPayments, isOpen, type ReferredPayment, referralOf } from './store.ts'

export interface SharingParts extends PaymentParts {
  settings: () => ReferralSettings
}

const TITLE = 'Referral'

/** Returns the referrer's share of a payment, which is credited in the payment's transaction. */
export async function sharesOfPayment(
  { db, now, settings }: Pick<SharingParts, 'db' | 'now' | 'settings'>,
  { id, account_id, credit_nanos }: Pick<ReferredPayment, 'id' | 'account_id' | 'credit_nanos'>,
): Promise<Share[]> {
  if (settings().per_mille === 0) return []
  const referral = await referralOf(db, account_id)
  if (!referral) return []
  const amount_nanos = shareOfPayment({ credit_nanos }, referral, settings(), now())
  if (amount_nanos === 0 || !(await isOpen(db, referral.referrer_id))) return []
  return [{ account_id: referral.referrer_id, amount_nanos, note: TITLE, request_key: `referral:${id}` }]
}

/** Adjusts shares to changes of their payments. */
export async function settleShares(parts: SharingParts): Promise<void> {
  const since_ms = parts.now() - SHARE_SETTLE_WITHIN_MS
  for (let after_id = 0; ; ) {
    const payments = await changedPayments(parts.db, since_ms, after_id)
    for (const payment of payments) {
      const { id, referrer_id: account_id } = payment
      const was_shared = await settleShare(parts, { name: 'referral', id, account_id, title: TITLE }, payment)
      if (!was_shared) await creditMissing(parts, payment)
    }
    const last = payments.at(-1)
    if (!last) return
    after_id = last.id
  }
}

/** Credits the share of a payment that a command credited in the last day. Any other payment without a share had none, as while referrals were off. */
async function creditMissing(parts: SharingParts, payment: ReferredPayment): Promise<void> {
  const { paid_at_ms, state, by_command } = payment
  if (
    by_command === 0 ||
    state !== 'paid' ||
    paid_at_ms === null ||
    paid_at_ms < parts.now() - SHARE_CREDIT_WITHIN_MS
  )
    return
  const [share] = await sharesOfPayment(parts, payment)
  if (share) await parts.ledger.submit({ op: 'top_up', ...share, now_ms: parts.now() })
}
