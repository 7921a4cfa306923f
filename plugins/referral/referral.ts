// Referrals of a running gateway: what signs people up and what credits payments is told of them.
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { sharesBetween } from '../payments/index.ts'
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
    // Bound although there is no share at the moment: the operator may turn it on.
    bind: async (tx, referred, now_ms) => await bindReferral(tx, referred, now_ms),
  }
  people.features.push({ name: 'referral', isOffered: () => settings().per_mille > 0 })
  operations.payment_shares.push((order) => sharesOfPayment(parts, order))
  operations.gifts.push({
    title: 'Referral shares',
    read: (db, period) => sharesBetween(db, { name: 'referral', accounts: REFERRERS }, period),
  })
  return parts
}

const REFERRERS = 'SELECT DISTINCT referrer_id AS account_id FROM referrals'
