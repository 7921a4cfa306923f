// Shared parts of the ledger's tests: a small database, short forms of the operations, and the state after them.
import type { Database } from 'bun:sqlite'
import { createHash } from 'node:crypto'
import type { BudgetPeriod } from '../../../src/domain/budgets.ts'
import { type Breach, INVARIANTS } from '../../../src/money/ledger/invariants.ts'
import type {
  CallRecord,
  ExpireOperation,
  HoldOperation,
  OpenDebtOperation,
  PostOperation,
  RefundOperation,
  TopUpOperation,
  VoidOperation,
  WithdrawOperation,
} from '../../../src/money/ledger/operations.ts'
import { createWriter } from '../../../src/money/ledger/writer.ts'
import type { Account, Key } from '../../../src/store/schema.ts'
import { memoryDatabase } from '../../support/empty-database.ts'

export const NOW = 1_000_000

/** The record of a call, if its content does not matter to the test. */
export const CALL: CallRecord = {
  surface: 'native',
  model: 'sim-text',
  provider: 'simulator',
  upstream_model: 'text',
  outcome: 'completed',
  status: 200,
  streamed: 0,
  estimated: 0,
  input_tokens: 10,
  input_audio_tokens: 0,
  cache_read_tokens: 0,
  cache_write_5m_tokens: 0,
  cache_write_1h_tokens: 0,
  output_tokens: 5,
  thinking_tokens: 0,
  output_image_tokens: 0,
  images: 0,
  price: '',
  started_at_ms: NOW,
  first_byte_ms: 20,
  duration_ms: 100,
}

/** A hold on account 1 and key 1, of the whole amount unless a minimum is named. */
export const hold = (amount_nanos: number, other: Partial<HoldOperation> = {}): HoldOperation => ({
  op: 'hold',
  account_id: 1,
  key_id: 1,
  request_id: 'request',
  amount_nanos,
  minimum_nanos: amount_nanos,
  now_ms: NOW,
  expires_at_ms: NOW + 60_000,
  ...other,
})
export const post = (hold_id: number, cost_nanos: number, call: Partial<CallRecord> = {}): PostOperation => ({
  op: 'post',
  hold_id,
  cost_nanos,
  call: { ...CALL, ...call },
  now_ms: NOW,
})
export const voided = (hold_id: number): VoidOperation => ({ op: 'void', hold_id, call: CALL, now_ms: NOW })
export const expire = (hold_id: number): ExpireOperation => ({ op: 'expire', hold_id, now_ms: NOW })
export const topUp = (amount_nanos: number, account_id = 1): TopUpOperation => ({
  op: 'top_up',
  account_id,
  amount_nanos,
  note: 'cash',
  now_ms: NOW,
})
export const withdraw = (amount_nanos: number, account_id = 1): WithdrawOperation => ({
  op: 'withdraw',
  account_id,
  amount_nanos,
  note: 'refund',
  now_ms: NOW,
})

/** A refund of a call of account 1 and key 1, unless others are named; `null` refunds the rest of the charge. */
export const refund = (
  call_id: number,
  amount_nanos: number | null = null,
  other: Partial<RefundOperation> = {},
): RefundOperation => ({
  op: 'refund',
  account_id: 1,
  key_id: 1,
  call_id,
  amount_nanos,
  note: 'interrupted',
  now_ms: NOW,
  ...other,
})

let references = 0
/** An opening debt under a reference of its own, unless one is named. */
export const openDebt = (
  amount_nanos: number,
  account_id = 1,
  request_key = `new-api user ${++references}`,
): OpenDebtOperation => ({
  op: 'open_debt',
  account_id,
  amount_nanos,
  note: 'from new-api',
  request_key,
  now_ms: NOW,
})

export interface Setup {
  balance?: number
  account?: Partial<Account>
  key?: KeySetup
  /** The plan of account 1. */
  plan?: PlanSetup
}

/** A key with the limits of its budgets. */
export type KeySetup = Partial<Key> & { budgets?: Limits }
export type Limits = Partial<Record<BudgetPeriod, number>>

/** A statement that adds budgets, of an account or one of its keys. */
export const budgetsText = (account_id: number, key_id: number | null, limits: Limits): string =>
  `INSERT INTO budgets (account_id, key_id, period, limit_nanos) VALUES ${Object.entries(limits)
    .map(([period, limit]) => `(${account_id}, ${key_id ?? 'NULL'}, '${period}', ${limit})`)
    .join()}`

/** A plan that covers calls until its end, of account 1 unless another is named. */
export interface PlanSetup {
  limits: Limits
  id?: number
  account_id?: number
  models?: readonly string[]
  overflow?: boolean
  concurrent_calls?: number | undefined
  starts_ms?: number
  ends_ms?: number
  covers_until_ms?: number
}

/** Statements that give an account a paid plan. */
export function planTexts({
  limits,
  id = 1,
  account_id = 1,
  models = ['*'],
  overflow = false,
  concurrent_calls,
  starts_ms = 0,
  ends_ms = NOW + 30 * 86_400_000,
  covers_until_ms = ends_ms,
}: PlanSetup): string[] {
  const texts = [
    `INSERT INTO plan_periods (id, account_id, state, plan, title, price_nanos, due_nanos, models, limits, concurrent_calls, overflow, anchor_ms,
       month_number, starts_ms, ends_ms, covers_until_ms, renews, created_at_ms, changed_at_ms)
     VALUES (${id}, ${account_id}, 'active', 'pro', 'Pro', 0, 0, '${JSON.stringify(models)}', '${JSON.stringify(limits)}', ${concurrent_calls ?? 'NULL'},
       ${overflow ? 1 : 0}, ${starts_ms}, 1, ${starts_ms}, ${ends_ms}, ${covers_until_ms}, 1, 0, 0)`,
    `UPDATE accounts SET plan_period_id = ${id} WHERE id = ${account_id}`,
  ]
  const budgets = Object.entries(limits).map(
    ([period, limit]) =>
      `INSERT INTO budgets (account_id, plan_period_id, period, limit_nanos) VALUES (${account_id}, ${id}, '${period}', ${limit})`,
  )
  return [...texts, ...budgets]
}

/** The used part of the limits of an account's plan, by their periods. */
export const PLAN_USED = `
  SELECT period, used_nanos AS used FROM budgets WHERE account_id = $id AND plan_period_id IS NOT NULL ORDER BY id`

/** Statements that add a person to an account, make them the owner of keys, and limit the spending of these keys together. */
export const personText = (
  person_id: number,
  account_id: number,
  key_ids: readonly number[],
  limits: Limits,
): string[] => [
  `INSERT INTO people (id, account_id, name, created_at_ms) VALUES (${person_id}, ${account_id}, 'person', 0)`,
  `INSERT INTO memberships (person_id, account_id, role, created_at_ms) VALUES (${person_id}, ${account_id}, 'member', 0)`,
  `UPDATE keys SET person_id = ${person_id} WHERE id IN (${key_ids.join()})`,
  `INSERT INTO budgets (account_id, person_id, period, limit_nanos) VALUES ${Object.entries(limits)
    .map(([period, limit]) => `(${account_id}, ${person_id}, '${period}', ${limit})`)
    .join()}`,
]

/** Adds an account with one key of the same number. The balance is a top-up, as in production. */
export function addAccount(
  db: Database,
  id: number,
  { balance = 0, account = {}, key = {} }: Setup = {},
): void {
  db.query(
    'INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (?, ?, ?, 0, 0, 0, 0)',
  ).run(id, `account-${id}`, 'active')
  addKey(db, id, id, key)
  if (balance > 0) createWriter(db).commit([topUp(balance, id)])
  if (account.status) db.query('UPDATE accounts SET status = ? WHERE id = ?').run(account.status, id)
}

/** Adds a key to an account. */
export function addKey(db: Database, id: number, account_id: number, key: KeySetup = {}): void {
  const sha256 = createHash('sha256').update(`key-${id}`).digest()
  db.query(
    `INSERT INTO keys (id, account_id, name, prefix, sha256, spend_limit_nanos, spent_nanos, held_nanos,
       expires_at_ms, revoked_at_ms, created_at_ms)
     VALUES (?, ?, 'key', 'tg_prefix0', ?, ?, 0, 0, ?, ?, 0)`,
  ).run(
    id,
    account_id,
    sha256,
    key.spend_limit_nanos ?? null,
    key.expires_at_ms ?? null,
    key.revoked_at_ms ?? null,
  )
  if (key.budgets) db.run(budgetsText(account_id, id, key.budgets))
}

/** A database in memory: account 1 and key 1 by the setup, account 2 with key 2 and no money, key 3 of account 1. */
export function world(setup: Setup = {}): Database {
  const db = memoryDatabase()
  addAccount(db, 1, setup)
  if (setup.plan) for (const text of planTexts(setup.plan)) db.run(text)
  addAccount(db, 2)
  addKey(db, 3, 1)
  return db
}

export function planUsedOf(db: Database, id = 1): Limits {
  const rows = db.query<{ period: BudgetPeriod; used: number }, [{ id: number }]>(PLAN_USED).all({ id })
  return Object.fromEntries(rows.map(({ period, used }) => [period, used]))
}

/** The amounts of an account and its key. */
export function stateOf(db: Database, id = 1) {
  return db.query<State, [{ id: number }]>(STATE).get({ id })
}

export interface State {
  balance: number
  held: number
  debt: number
  spent: number
  key_held: number
}

export const STATE = `
  SELECT balance_nanos AS balance, accounts.held_nanos AS held, debt_nanos AS debt, spent_nanos AS spent, keys.held_nanos AS key_held
    FROM accounts JOIN keys ON keys.id = accounts.id WHERE accounts.id = $id`

/** An account's entries in order, in a short form: `charge -40`. */
export function entriesOf(db: Database, account_id = 1): string[] {
  return db
    .query<{ text: string }, [{ account_id: number }]>(ENTRIES)
    .all({ account_id })
    .map(({ text }) => text)
}

export const ENTRIES = `SELECT kind || ' ' || amount_nanos AS text FROM entries WHERE account_id = $account_id ORDER BY id`

/** The names of the broken invariants. */
export const brokenInvariants = (db: Database): string[] =>
  INVARIANTS.filter(({ sql, breach = (row) => row }) => db.query<Breach, []>(sql).all().some(breach)).map(
    ({ name }) => name,
  )
