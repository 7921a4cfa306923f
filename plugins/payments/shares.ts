// Shares of payments: credits that come with a payment, such as a referrer's. Refunds and lost disputes debit them, failed refunds credit them again.
import type { Nanos } from '../../src/domain/money.ts'
import { DAY_MS } from '../../src/domain/ranges.ts'
import type { Ledger } from '../../src/money/ledger/operations.ts'
import type { Logger } from '../../src/observe/log.ts'
import type { Db } from '../../src/store/db.ts'
import { remainingShareOf } from './amounts.ts'
import { suspend } from './disputes.ts'
import { freeBalanceOf } from './store.ts'

/** A payment and its refunded amount. */
export interface SharedPayment {
  /** ID of the order. */
  id: number
  state: string
  amount_minor: number
  refunded_minor: number
}

/** A credit that came with a payment. Its ledger operations have the keys `NAME:ID`, `NAME-back:ID:N` and `NAME-again:ID:N`. */
export interface PaymentShare {
  name: string
  id: number
  /** The account that received the credit. */
  account_id: number
  /** Prefix of the notes of its ledger operations. */
  title: string
  /** True if the payer received the credit: its debit after a lost dispute suspends the account if it leaves debt, as the payment's debit does. */
  is_payers?: boolean
}

/** Sweeps compare shares only with orders that changed within this time. */
export const SHARE_SETTLE_WITHIN_MS = 30 * DAY_MS
/** A sweep credits the shares of a payment that a command marked, within this time. */
export const SHARE_CREDIT_WITHIN_MS = DAY_MS

export interface SharingParts {
  db: Db
  ledger: Pick<Ledger, 'submit'>
  now: () => number
  log: Pick<Logger, 'warn'>
}

/**
 * Adjusts a share to the refunds and the dispute of its payment. Each ledger operation happens once, also if several gateways run this.
 *
 * @returns false if the share was never credited
 * @throws GatewayError as `Ledger.submit`
 */
export async function settleShare(
  { db, ledger, now, log }: SharingParts,
  share: PaymentShare,
  { id, state, amount_minor, refunded_minor }: SharedPayment,
): Promise<boolean> {
  const { name, account_id, title } = share
  const { credited_nanos, taken_nanos, again_nanos, movements } = await shareMovementsOf(db, share)
  if (credited_nanos === undefined) return false
  const gone_minor = state === 'lost' ? amount_minor : refunded_minor
  const due_nanos =
    remainingShareOf(credited_nanos, { amount_minor, gone_minor }) -
    (credited_nanos + again_nanos - taken_nanos)
  if (due_nanos === 0) return true
  // Suspend before the debit, as for the payment itself: a kill after the debit leaves no active account in debt.
  if (share.is_payers && state === 'lost' && (await freeBalanceOf(db, account_id)) < -due_nanos)
    await suspend({ db, now }, share)
  const movement = {
    account_id,
    amount_nanos: Math.abs(due_nanos),
    note: `${title}: ${due_nanos > 0 ? 'refund failed' : state === 'lost' ? 'dispute lost' : 'payment refunded'}`,
    now_ms: now(),
  }
  const key = `${share.id}:${movements}`
  const outcome = await ledger.submit(
    due_nanos < 0
      ? { op: 'open_debt', ...movement, request_key: `${name}-back:${key}` }
      : { op: 'top_up', ...movement, request_key: `${name}-again:${key}` },
  )
  if (!outcome.ok && outcome.refusal !== 'request_key_used')
    log.warn({ order: id, account_id }, `a share of a payment was refused: ${outcome.refusal}`)
  return true
}

/** Returns the amount that a refund of a part of the payment would still debit from a share. Changes nothing. */
export async function returnDueOf(
  db: Db,
  share: Pick<PaymentShare, 'name' | 'id' | 'account_id'>,
  part: { amount_minor: number; gone_minor: number },
): Promise<Nanos> {
  const { credited_nanos = 0, taken_nanos, again_nanos } = await shareMovementsOf(db, share)
  return Math.max(0, credited_nanos + again_nanos - taken_nanos - remainingShareOf(credited_nanos, part))
}

/** Sums of the ledger operations of a share. */
interface ShareMovements {
  /** Undefined if nothing was credited. */
  credited_nanos: Nanos | undefined
  taken_nanos: Nanos
  again_nanos: Nanos
  /** Number of operations after the credit. */
  movements: number
}

export async function shareMovementsOf(
  db: Db,
  { name, id, account_id }: Pick<PaymentShare, 'name' | 'id' | 'account_id'>,
): Promise<ShareMovements> {
  const rows = await db.rows<{ kind: string; nanos: number; count: number }>(SHARE_MOVEMENTS, {
    account_id,
    key: `${name}:${id}`,
    again: `${name}-again:${id}:`,
    again_end: `${name}-again:${id};`,
    back: `${name}-back:${id}:`,
    back_end: `${name}-back:${id};`,
  })
  const of = (kind: string) => rows.find((row) => row.kind === kind)
  const [credited, again, back] = [of('credited'), of('again'), of('back')]
  return {
    credited_nanos: credited && Number(credited.count) > 0 ? Number(credited.nanos) : undefined,
    taken_nanos: Number(back?.nanos ?? 0),
    again_nanos: Number(again?.nanos ?? 0),
    movements: Number(again?.count ?? 0) + Number(back?.count ?? 0),
  }
}

const sumOf = (kind: string, table: string, keys: string): string => `
  SELECT '${kind}' AS kind, CAST(COALESCE(SUM(amount_nanos), 0) AS BIGINT) AS nanos, COUNT(*) AS count
    FROM ${table} WHERE account_id = $account_id AND ${keys}`

const SHARE_MOVEMENTS = [
  sumOf('credited', 'entries', 'request_key = $key'),
  sumOf('again', 'entries', 'request_key >= $again AND request_key < $again_end'),
  sumOf('back', 'opening_debts', 'request_key >= $back AND request_key < $back_end'),
].join(' UNION ALL ')

/**
 * Returns the sum of the shares of a name in a time range, minus the debited parts.
 *
 * @param accounts SQL query of the `account_id`s that may have such shares
 */
export async function sumShares(
  db: Db,
  { name, accounts }: { name: string; accounts: string },
  { since_ms, until_ms }: { since_ms: number; until_ms: number },
): Promise<Nanos> {
  const [sum] = await db.rows<{ nanos: number }>(
    `SELECT CAST(${['entries', 'entries', 'opening_debts'].map(sumBetween(accounts)).join(' ')} AS BIGINT) AS nanos`,
    {
      ...{ since_ms, until_ms },
      ...{ from_0: `${name}:`, end_0: `${name};` },
      ...{ from_1: `${name}-again:`, end_1: `${name}-again;` },
      ...{ from_2: `${name}-back:`, end_2: `${name}-back;` },
    },
  )
  return Number(sum?.nanos ?? 0)
}

const SIGNS = ['', '+', '-'] as const

const sumBetween = (accounts: string) => (table: string, at: number) =>
  `
  ${SIGNS[at]} (SELECT COALESCE(SUM(amount_nanos), 0) FROM (${accounts}) AS sharing
    JOIN ${table} AS moved ON moved.account_id = sharing.account_id
     AND moved.request_key >= $from_${at} AND moved.request_key < $end_${at}
   WHERE moved.created_at_ms >= $since_ms AND moved.created_at_ms < $until_ms)`
