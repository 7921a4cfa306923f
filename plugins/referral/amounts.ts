// The referrer's share of a payment, and the end of referral shares. Pure.
import { shareOf } from '../../src/domain/currencies.ts'
import type { Nanos } from '../../src/domain/money.ts'
import type { ReferralSettings } from './settings.ts'

/** Returns the referrer's share; 0 if referrals are off, or the months after the sign-up have passed. */
export function shareOfPayment(
  { credit_nanos }: { credit_nanos: Nanos },
  { created_at_ms }: { created_at_ms: number },
  { per_mille, months }: ReferralSettings,
  now_ms: number,
): Nanos {
  return now_ms < sharesEndAt(created_at_ms, months) ? shareOf(credit_nanos, per_mille, 1_000) : 0
}

/** Returns the end of a number of calendar months (UTC). */
export const sharesEndAt = (created_at_ms: number, months: number): number =>
  Temporal.Instant.fromEpochMilliseconds(created_at_ms).toZonedDateTimeISO('UTC').add({ months })
    .epochMilliseconds
