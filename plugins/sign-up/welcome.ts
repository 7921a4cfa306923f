// The welcome credit: given once, with the first payment of an account that was created by a sign-up.
import type { Nanos } from '../../src/domain/money.ts'
import type { Share } from '../../src/money/ledger/operations.ts'
import type { Db } from '../../src/store/db.ts'
import {
  type PaymentShare,
  returnDueOf,
  SHARE_CREDIT_WITHIN_MS,
  SHARE_SETTLE_WITHIN_MS,
  type SharedPayment,
  type SharingParts,
  settleShare,
  sumShares,
} from '../payments/index.ts'

export interface WelcomeParts extends SharingParts {
  /** The largest credit; 0: none. */
  welcomeNanos: () => Nanos
}

interface FirstPayment {
  /** The number of the payment order. */
  id: number
  account_id: number
  credit_nanos: Nanos
}

const NAME = 'welcome'
/** Links the credit to its payment; `entries/sources.ts` also looks for it. */
const NOTE = 'Welcome credit with order '

/**
 * Returns the welcome credit of a payment, in the payment's transaction. It is at most the payment's credit, so that nobody gets it without paying as
 * much. If two first payments come at once, the ledger gives one credit, since the request key contains the account.
 */
export async function welcomeOf(
  { db, welcomeNanos }: Pick<WelcomeParts, 'db' | 'welcomeNanos'>,
  { id, account_id, credit_nanos }: FirstPayment,
): Promise<Share[]> {
  const share = creditWith({ id, account_id, credit_nanos }, welcomeNanos())
  return share.amount_nanos > 0 && (await awaitsFirstPayment(db, account_id)) ? [share] : []
}

const creditWith = ({ id, account_id, credit_nanos }: FirstPayment, welcome_nanos: Nanos): Share => ({
  account_id,
  amount_nanos: Math.min(welcome_nanos, credit_nanos),
  note: `${NOTE}${id}`,
  request_key: `${NAME}:${account_id}`,
})

const awaitsFirstPayment = async (db: Db, account_id: number): Promise<boolean> =>
  (await db.rows(AWAITS_FIRST_PAYMENT, { account_id })).length > 0

/** The welcome credit as a share of a payment that goes to the payer. */
const shareIn = ({ id, account_id }: Pick<FirstPayment, 'id' | 'account_id'>): PaymentShare => ({
  name: NAME,
  id: account_id,
  account_id,
  title: `${NOTE}${id}`,
  is_payers: true,
})

/** Adjusts welcome credits to refunds and disputes of their payments, and gives the credit for payments that a command marked as paid. */
export async function settleWelcomes(parts: WelcomeParts): Promise<void> {
  const { db, ledger, now, welcomeNanos } = parts
  const since_ms = now() - SHARE_SETTLE_WITHIN_MS
  const changed = await db.rows<SharedPayment & FirstPayment>(CHANGED, { since_ms, note: NOTE })
  for (const payment of changed) await settleShare(parts, shareIn(payment), payment)
  if (welcomeNanos() === 0) return
  const marked = await db.rows<FirstPayment>(MARKED_BY_COMMAND, { since_ms: now() - SHARE_CREDIT_WITHIN_MS })
  for (const payment of marked)
    await ledger.submit({ op: 'top_up', ...creditWith(payment, welcomeNanos()), now_ms: now() })
}

/** The part of the welcome credit that a refund takes from the payer's balance; 0 for a payment that brought none. */
export async function returnedOfWelcome(
  db: Db,
  { id, account_id, ...part }: { id: number; account_id: number; amount_minor: number; gone_minor: number },
): Promise<Nanos> {
  const brought_nanos = await broughtOfWelcome(db, { id, account_id })
  return brought_nanos === 0 ? 0 : await returnDueOf(db, shareIn({ id, account_id }), part)
}

/** The welcome credit of a payment; 0 if there was none. */
export async function broughtOfWelcome(
  db: Db,
  { id, account_id }: { id: number; account_id: number },
): Promise<Nanos> {
  const wanted = { account_id, key: `${NAME}:${account_id}`, note: NOTE + id }
  const [found] = await db.rows<{ amount_nanos: number }>(WITH_PAYMENT, wanted)
  return Number(found?.amount_nanos ?? 0)
}

const WITH_PAYMENT =
  'SELECT amount_nanos FROM entries WHERE account_id = $account_id AND request_key = $key AND note = $note'

/** The sum of the welcome credits of a period, less the parts that refunds took back. */
export const welcomesBetween = (db: Db, period: { since_ms: number; until_ms: number }): Promise<Nanos> =>
  sumShares(db, { name: NAME, accounts: SIGNED_UP }, period)

const SIGNED_UP = 'SELECT account_id FROM sign_ups WHERE account_id IS NOT NULL'

/** Vouchers and the operator's manual credits are not payments. */
const AWAITS_FIRST_PAYMENT = `
  SELECT id FROM sign_ups WHERE account_id = $account_id
   AND NOT EXISTS (SELECT 1 FROM entries WHERE account_id = $account_id AND request_key >= 'order:' AND request_key < 'order;')`

/** Payments with a welcome credit that have refunds, failed refunds or a lost dispute since the given time. */
const CHANGED = `
  SELECT orders.id AS id, orders.account_id AS account_id, state, amount_minor, refunded_minor, credit_nanos
    FROM orders JOIN entries ON entries.account_id = orders.account_id
     AND entries.request_key = '${NAME}:' || orders.account_id AND entries.note = $note || orders.id
   WHERE orders.id IN (SELECT order_id FROM order_refunds WHERE changed_at_ms >= $since_ms
     UNION SELECT id FROM orders WHERE state = 'lost' AND changed_at_ms >= $since_ms)`

/** First payments that a command marked as paid; the command itself gives no welcome credit. */
const MARKED_BY_COMMAND = `
  SELECT orders.id AS id, orders.account_id AS account_id, credit_nanos FROM orders
    JOIN state_changes ON subject = 'orders' AND subject_id = orders.id AND to_state = 'paid' AND source = 'command'
   WHERE state = 'paid' AND paid_at_ms >= $since_ms AND orders.account_id IN (${SIGNED_UP})
     AND (SELECT request_key FROM entries WHERE account_id = orders.account_id
           AND request_key >= 'order:' AND request_key < 'order;' ORDER BY id LIMIT 1) = 'order:' || orders.id
     AND NOT EXISTS (SELECT 1 FROM entries WHERE account_id = orders.account_id
           AND request_key = '${NAME}:' || orders.account_id)`
