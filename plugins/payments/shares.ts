// Shares of payments: credits that went with one, such as a referrer's. Refunds and lost disputes take their part, refunds that fail give it again.
import type { Nanos } from '../../src/domain/money.ts'
import { DAY_MS } from '../../src/domain/ranges.ts'
import type { Ledger } from '../../src/money/ledger/operations.ts'
import type { Logger } from '../../src/observe/log.ts'
import type { Db } from '../../src/store/db.ts'
import { keptOf } from './amounts.ts'
import { suspend } from './disputes.ts'
import { freeBalanceOf } from './store.ts'

/** A payment and what of it has gone back. */
export interface SharedPayment {
  /** The number of its order. */
  id: number
  state: string
  amount_minor: number
  refunded_minor: number
}

/** A credit that went with a payment. Its movements have the keys `NAME:ID`, `NAME-back:ID:N` and `NAME-again:ID:N`. */
export interface PaymentShare {
  name: string
  id: number
  /** The account that has it. */
  account_id: number
  /** The beginning of the notes of its movements. */
  title: string
  /** True where the payer has it: what a lost dispute takes of it suspends the account, as the payment itself does, if it leaves debt. */
  is_payers?: boolean
}

/** Orders that changed before are at rest. */
export const SHARES_SETTLED_FOR_MS = 30 * DAY_MS
/** A payment that a command marked gets its shares from a sweep, within this time. */
export const SHARES_GIVEN_WITHIN_MS = DAY_MS

export interface SharingParts {
  db: Db
  ledger: Pick<Ledger, 'submit'>
  now: () => number
  log: Pick<Logger, 'warn'>
}

/**
 * Brings a share to what has become of its payment. Each movement is made once, whoever else does the same.
 *
 * @returns false where nothing was credited with the payment
 * @throws GatewayError as `Ledger.submit`
 */
export async function settleShare(
  { db, ledger, now, log }: SharingParts,
  share: PaymentShare,
  { id, state, amount_minor, refunded_minor }: SharedPayment,
): Promise<boolean> {
  const { name, account_id, title } = share
  const { credited_nanos, taken_nanos, again_nanos, movements } = await movedOf(db, share)
  if (credited_nanos === undefined) return false
  const gone_minor = state === 'lost' ? amount_minor : refunded_minor
  const due_nanos =
    keptOf(credited_nanos, { amount_minor, gone_minor }) - (credited_nanos + again_nanos - taken_nanos)
  if (due_nanos === 0) return true
  // First, as with the payment itself: a kill after the debt leaves no account in debt that goes on.
  if (share.is_payers && state === 'lost' && (await freeBalanceOf(db, account_id)) < -due_nanos)
    await suspend({ db, now }, share)
  const movement = {
    account_id,
    amount_nanos: Math.abs(due_nanos),
    note: due_nanos < 0 ? `${title}: payment given back` : `${title}: refund failed`,
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

/** The amount that is still to be taken of a share once a part of its payment has gone back. Nothing is changed. */
export async function returnedOf(
  db: Db,
  share: Pick<PaymentShare, 'name' | 'id' | 'account_id'>,
  part: { amount_minor: number; gone_minor: number },
): Promise<Nanos> {
  const { credited_nanos = 0, taken_nanos, again_nanos } = await movedOf(db, share)
  return Math.max(0, credited_nanos + again_nanos - taken_nanos - keptOf(credited_nanos, part))
}

/** The sums that moved between a payment and the account with a share of it. */
interface Moved {
  /** Undefined: nothing was credited. */
  credited_nanos: Nanos | undefined
  taken_nanos: Nanos
  again_nanos: Nanos
  /** Movements after the first. */
  movements: number
}

export async function movedOf(
  db: Db,
  { name, id, account_id }: Pick<PaymentShare, 'name' | 'id' | 'account_id'>,
): Promise<Moved> {
  const rows = await db.rows<{ kind: string; nanos: number; count: number }>(MOVED, {
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

const MOVED = [
  sumOf('credited', 'entries', 'request_key = $key'),
  sumOf('again', 'entries', 'request_key >= $again AND request_key < $again_end'),
  sumOf('back', 'opening_debts', 'request_key >= $back AND request_key < $back_end'),
].join(' UNION ALL ')

/**
 * The sum of the shares of a name in a time, less the part that was taken back.
 *
 * @param accounts SQL of the accounts that may have some: a query of `account_id`
 */
export async function sharesBetween(
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
