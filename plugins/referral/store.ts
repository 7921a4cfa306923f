// Database queries on referral links, referrals and referred payments.
import type { Nanos } from '../../src/domain/money.ts'
import type { Awaitable, Db, Tx } from '../../src/store/db.ts'
import { equals, placeholders } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import type { SharedPayment } from '../payments/index.ts'
import { type ReferralRow, referral_links, referrals } from './tables.ts'

export const linkOf = (db: Db, account_id: number): Awaitable<{ code: string } | undefined> =>
  queries(db).link.get({ account_id })

export async function insertLink(
  tx: Tx,
  link: { account_id: number; code: string; created_at_ms: number },
): Promise<void> {
  await queries(tx).insertLink.run(link)
}

/** The account of a link. */
export const referrerByCode = async (db: Db, code: string): Promise<number | undefined> =>
  (await queries(db).byCode.get({ code }))?.account_id

export const referralOf = (db: Db, account_id: number): Awaitable<ReferralRow | undefined> =>
  queries(db).ofAccount.get({ account_id })

export async function insertReferral(
  tx: Tx,
  referral: { account_id: number; referrer_id: number; created_at_ms: number },
): Promise<void> {
  await queries(tx).insert.run(referral)
}

/** Whether an account may refer and gets shares: it is not closed. */
export const isOpen = async (db: Db, account_id: number): Promise<boolean> => {
  const [found] = await db.rows<{ id: number }>(
    'SELECT id FROM accounts WHERE id = $account_id AND id NOT IN (SELECT account_id FROM closed_accounts)',
    { account_id },
  )
  return found !== undefined
}

/** The addresses of an account and its people. */
export const addressesOf = async (db: Db, account_id: number): Promise<string[]> =>
  (
    await db.rows<{ email: string }>(
      `SELECT people.email AS email FROM memberships JOIN people ON people.id = memberships.person_id
        WHERE memberships.account_id = $account_id AND people.email IS NOT NULL
        UNION SELECT email FROM account_details WHERE account_id = $account_id AND email <> ''`,
      { account_id },
    )
  ).map(({ email }) => email)

/** A payment of a referred account. */
export interface ReferredPayment extends SharedPayment {
  credit_nanos: Nanos
  paid_at_ms: number | null
  account_id: number
  referrer_id: number
  /** 1: a command credited the payment, without shares. */
  by_command: number
}

/** Payments of referred accounts that changed since a time. */
export const changedPayments = (db: Db, since_ms: number, after_id: number): Awaitable<ReferredPayment[]> =>
  db.rows<ReferredPayment>(
    `SELECT orders.id AS id, orders.state AS state, amount_minor, refunded_minor, credit_nanos, paid_at_ms,
            orders.account_id AS account_id, referrer_id,
            CASE WHEN EXISTS (SELECT 1 FROM state_changes WHERE subject = 'orders' AND subject_id = orders.id AND to_state = 'paid'
              AND source = 'command') THEN 1 ELSE 0 END AS by_command
       FROM referrals JOIN orders ON orders.account_id = referrals.account_id
      WHERE orders.changed_at_ms >= $since_ms AND orders.id > $after_id
        AND orders.state NOT IN ('open', 'expired', 'cancelled')
      ORDER BY orders.id LIMIT 200`,
    { since_ms, after_id },
  )

const queries = perConnection({
  link: (orm) =>
    orm
      .select({ code: referral_links.code })
      .from(referral_links)
      .where(equals(referral_links.account_id, 'account_id')),
  insertLink: (orm) =>
    orm
      .insert(referral_links)
      .values(placeholders('account_id', 'code', 'created_at_ms'))
      .onConflictDoNothing(),
  byCode: (orm) =>
    orm
      .select({ account_id: referral_links.account_id })
      .from(referral_links)
      .where(equals(referral_links.code, 'code')),
  ofAccount: (orm) => orm.select().from(referrals).where(equals(referrals.account_id, 'account_id')),
  insert: (orm) =>
    orm
      .insert(referrals)
      .values(placeholders('account_id', 'referrer_id', 'created_at_ms'))
      .onConflictDoNothing(),
})
