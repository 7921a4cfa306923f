// Query of referrals with their payments and earnings.
import type { Db } from '../../src/store/db.ts'
import { type Page, type PageRequest, pageOf, pageValues } from '../../src/store/page.ts'

export interface ListedReferral {
  id: number
  account_id: number
  account_name: string
  referrer_id: number
  referrer: string
  created_at_ms: number
  payments: number
  earned_nanos: number
}

const sumIn = (table: string, name: string): string => `
  COALESCE((SELECT SUM(amount_nanos) FROM ${table} WHERE account_id = referrals.referrer_id
    AND request_key >= '${name}:' || orders.id || ':' AND request_key < '${name}:' || orders.id || ';'), 0)`

/** The referrer's share of an order: credited minus debited. */
const EARNED_OF_ORDER = `
  COALESCE((SELECT amount_nanos FROM entries WHERE account_id = referrals.referrer_id
    AND request_key = 'referral:' || orders.id), 0) + ${sumIn('entries', 'referral-again')} - ${sumIn('opening_debts', 'referral-back')}`

const LISTED = `
  SELECT referrals.id AS id, referrals.account_id AS account_id, account.name AS account_name, referrer_id,
         referrer.name AS referrer, referrals.created_at_ms AS created_at_ms,
         (SELECT COUNT(*) FROM orders WHERE orders.account_id = referrals.account_id
           AND orders.state NOT IN ('open', 'expired', 'cancelled')) AS payments,
         CAST(COALESCE((SELECT SUM(${EARNED_OF_ORDER}) FROM orders WHERE orders.account_id = referrals.account_id), 0) AS BIGINT) AS earned_nanos
    FROM referrals JOIN accounts AS account ON account.id = referrals.account_id
    JOIN accounts AS referrer ON referrer.id = referrals.referrer_id`

interface ReferralFilter {
  /** The account that signed up. */
  account_id?: number | undefined
  referrer_id?: number | undefined
}

export async function listReferrals(
  db: Db,
  { account_id, referrer_id }: ReferralFilter,
  request: PageRequest,
): Promise<Page<ListedReferral>> {
  const { below_id, row_limit } = pageValues(request)
  const conditions = [
    'referrals.id < $below_id',
    ...(account_id === undefined ? [] : ['referrals.account_id = $account_id']),
    ...(referrer_id === undefined ? [] : ['referrals.referrer_id = $referrer_id']),
  ]
  const rows = await db.rows<ListedReferral>(
    `${LISTED} WHERE ${conditions.join(' AND ')} ORDER BY referrals.id DESC LIMIT $row_limit`,
    {
      below_id,
      row_limit,
      ...(account_id !== undefined && { account_id }),
      ...(referrer_id !== undefined && { referrer_id }),
    },
  )
  const numbered = rows.map((row) => ({
    ...row,
    payments: Number(row.payments),
    earned_nanos: Number(row.earned_nanos),
  }))
  return pageOf(numbered, request)
}
