// Referrals of a running gateway: registered with sign-up, payments and reports.
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { sumShares } from '../payments/index.ts'
import { bindReferral } from './binding.ts'
import type { ReferralSettings } from './settings.ts'
import { type SharingParts, sharesOfPayment } from './sharing.ts'

export function openReferral(
  { db, calls, people, operations }: Pick<Gateway, 'db' | 'calls' | 'people' | 'operations'>,
  settings: () => ReferralSettings,
): SharingParts {
  const { ledger, now, log } = calls
  const parts = { db, ledger, now, log, settings }
  people.referrals = {
    // Also binds while the share is 0, since the operator may raise it later.
    bind: async (tx, referred, now_ms) => await bindReferral(tx, referred, now_ms),
  }
  people.features.push({ name: 'referral', isOffered: () => settings().per_mille > 0 })
  operations.payment_shares.push((order) => sharesOfPayment(parts, order))
  operations.gifts.push({
    title: 'Referral shares',
    read: (db, period) => sumShares(db, { name: 'referral', accounts: REFERRERS }, period),
  })
  return parts
}

const REFERRERS = 'SELECT DISTINCT referrer_id AS account_id FROM referrals'
