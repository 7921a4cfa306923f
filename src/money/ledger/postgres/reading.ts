// A batch's first reads on PostgreSQL: its accounts, which stay locked until its end, then all other rows that its operations need.
import type { Answer, Statement } from '../../../store/engines/postgres/connection.ts'
import { objectsOf } from '../../../store/engines/postgres/one-connection.ts'
import { jsonOf } from '../../../store/engines/postgres/values.ts'
import {
  type AccountRow,
  type Book,
  emptyBook,
  entryKey,
  type HoldRow,
  type KeyRow,
  type RefundedCall,
} from '../book.ts'
import { accountRow, addKeyRow, BUDGET_COLUMNS, BUDGETS, type StoredKey } from '../budget-rows.ts'
import { noCounts } from '../call-limits.ts'
import type { KeyedEntry, MoneyOperation, Operation } from '../operations.ts'
import { purchaseOf, sharesOf } from '../with-top-ups.ts'
import { allowanceReader } from './allowances.ts'
import { countReader } from './counts.ts'
import type { LockedRows } from './locked-accounts.ts'
import { planReader } from './plans.ts'
import { rowStateReader } from './row-states.ts'

/** The state of a batch after its reads. */
interface BatchRead {
  readonly book: Book
  /** Whether its gateway has not ended. */
  readonly is_alive: boolean
  /** Rows that others have locked: their accounts are not in the book. */
  readonly locked: readonly LockedRows[]
}

/** Accounts that a batch skips, since others are known to have locked them; `all`: it waits for no lock, and finds out which are held. */
export type NotAwaited = readonly number[] | 'all'

interface BatchReader {
  /** In this order, in a transaction at READ COMMITTED: each sees everything committed before its accounts were locked. */
  readonly statements: readonly Statement[]
  /** @param answers one for each statement */
  readAnswers(answers: readonly Answer[]): BatchRead
}

/** @param gateway_id the gateway that opens the holds; null: none, which counts as alive */
export function batchReader(
  operations: readonly Operation[],
  gateway_id: number | null,
  not_awaited: NotAwaited = [],
): BatchReader {
  const named = namedRowsOf(operations)
  const [accounts, keys, holds] = [arrayOf(named.accounts), arrayOf(named.keys), arrayOf(named.holds)]
  const limits = countReader(operations)
  const allowances = allowanceReader(operations)
  const row_states = rowStateReader(operations)
  const of_plans = planReader(operations, accounts, holds)
  const resolved = named.holds.size > 0 ? [{ text: HOLDS, values: [holds] }] : []
  const keyed = named.keyed.length > 0 ? [{ text: KEYED_ENTRIES, values: [jsonOf(named.keyed)] }] : []
  const refunded = named.calls.size > 0 ? [{ text: CALLS, values: [arrayOf(named.calls)] }] : []
  const locking =
    not_awaited === 'all'
      ? [
          { text: TRIED_ACCOUNTS, values: [accounts, holds] },
          { text: LOCKED_KEYS, values: [keys, holds] },
        ]
      : [{ text: LOCKED_ACCOUNTS, values: [accounts, holds, arrayOf(new Set(not_awaited))] }]
  return {
    statements: [
      ...locking,
      { text: STATE, values: [named.new_holds, gateway_id] },
      { text: KEYS, values: [keys, holds] },
      ...resolved,
      ...limits.statements,
      ...allowances.statements,
      ...row_states.statements,
      ...of_plans.statements,
      ...keyed,
      ...refunded,
    ],
    readAnswers(answers) {
      const [accounts, locked] = lockedOf(answers.slice(0, locking.length))
      const [state, keys, ...rest] = answers.slice(locking.length)
      const [holds] = rest.splice(0, resolved.length)
      const [found] = rowsIn<State>(state)
      if (!found) throw new Error('the batch has no state')
      const counts = noCounts(found.now_s)
      limits.fill(counts, rest.splice(0, limits.statements.length))
      const book = emptyBook(idsFrom(found.hold_ids ?? ''), gateway_id, counts)
      allowances.fill(book, rest.splice(0, allowances.statements.length))
      row_states.fill(book, rest.splice(0, row_states.statements.length))
      const plans_of = of_plans.plansIn(rest.splice(0, of_plans.statements.length))
      const of_accounts = new Map<number, string | null>()
      for (const { account_budgets, ...key } of rowsIn<StoredKey & OfAccount>(keys)) {
        of_accounts.set(key.account_id, account_budgets)
        addKeyRow(book, key)
      }
      for (const row of accounts)
        book.accounts.set(
          row.id,
          accountRow({ ...row, budgets: of_accounts.get(row.id) ?? null }, plans_of.get(row.id)),
        )
      for (const row of rowsIn<HoldRow>(holds)) book.holds.set(row.id, row)
      for (const row of rowsIn<RefundedCall>(rest.splice(keyed.length)[0])) book.calls.set(row.id, row)
      for (const { account_id, request_key, ...entry } of rowsIn<KeyedRow>(rest[0]))
        book.keyed_entries.set(entryKey(account_id, request_key), entry)
      return { book, is_alive: found.alive === 1, locked }
    },
  }
}

/** @returns the accounts locked by this batch, and the rows locked by others */
function lockedOf([accounts, keys]: readonly Answer[]): [free: LockedAccount[], locked: LockedRows[]] {
  if (!keys) return [rowsIn<LockedAccount>(accounts), []]
  const tried = rowsIn<Omit<LockedAccount, 'status'> & { status: AccountRow['status'] | null }>(accounts)
  const locked_keys = rowsIn<Pick<KeyRow, 'id' | 'account_id'>>(keys)
  const locked = new Map<number, LockedRows>()
  for (const { id, status } of tried) if (status === null) locked.set(id, { account_id: id, key_ids: [] })
  for (const { id, account_id } of locked_keys)
    locked.set(account_id, { account_id, key_ids: [...(locked.get(account_id)?.key_ids ?? []), id] })
  const free = tried.flatMap(({ status, ...row }) =>
    status === null || locked.has(row.id) ? [] : [{ ...row, status }],
  )
  return [free, [...locked.values()]]
}

/** An account without budgets. These are read after the lock, with its keys: an operation without a key counts against no budget. */
type LockedAccount = Omit<AccountRow, 'budgets' | 'plan'>
interface OfAccount {
  account_budgets: string | null
}

interface State {
  hold_ids: string | null
  alive: number
  now_s: number
}

type KeyedRow = KeyedEntry & { account_id: number; request_key: string }

/**
 * Every row that a batch writes belongs to an account whose row it has locked. Accounts are locked in a fixed order, so that two batches
 * cannot deadlock. The lock leaves keys, and foreign references to an account, free.
 */
const LOCKED_ACCOUNTS = `
  SELECT id, status, balance_nanos, held_nanos, debt_nanos, plan_period_id FROM accounts
   WHERE id = ANY(ARRAY(SELECT unnest($1::bigint[]) UNION SELECT account_id FROM holds WHERE id = ANY($2::bigint[])))
     AND id <> ALL($3::bigint[])
   ORDER BY id FOR NO KEY UPDATE`

/** Does not wait: locks the accounts that nobody else has locked. */
const TRIED_ACCOUNTS = `
  WITH named AS MATERIALIZED (
         SELECT id FROM accounts
          WHERE id = ANY(ARRAY(SELECT unnest($1::bigint[]) UNION SELECT account_id FROM holds WHERE id = ANY($2::bigint[])))),
       free AS MATERIALIZED (
         SELECT id, status, balance_nanos, held_nanos, debt_nanos, plan_period_id FROM accounts
          WHERE id = ANY(ARRAY(SELECT id FROM named)) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)
  SELECT named.id, status, balance_nanos, held_nanos, debt_nanos, plan_period_id FROM named LEFT JOIN free ON free.id = named.id`

/** Finds keys of the same accounts that others have locked. */
const LOCKED_KEYS = `
  WITH named AS MATERIALIZED (
         SELECT id, account_id FROM keys
          WHERE id = ANY(ARRAY(SELECT unnest($1::bigint[]) UNION SELECT key_id FROM holds WHERE id = ANY($2::bigint[])))),
       free AS MATERIALIZED (
         SELECT id FROM keys WHERE id = ANY(ARRAY(SELECT id FROM named)) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)
  SELECT id, account_id FROM named WHERE id NOT IN (SELECT id FROM free)`

/** Returns an SQL expression: whether a gateway has not ended, which then stays so until the end of the transaction; true without a gateway. */
export const isAlive = (id: string): string =>
  `(${id}::bigint IS NULL OR (SELECT id FROM gateways WHERE id = ${id}::bigint AND ended_at_ms IS NULL FOR SHARE) IS NOT NULL)`

/**
 * Ids are assigned under the lock, so that those of an account rise with time, whichever gateway assigns them. Unused ids stay unused.
 * The gateway cannot be ended while the batch runs, so whoever ends it later finds all its holds.
 */
const STATE = `
  SELECT (SELECT string_agg(nextval('hold_ids')::text, ',') FROM generate_series(1, $1::bigint)) AS hold_ids,
         ${isAlive('$2')} AS alive,
         now_ms() / 1000 AS now_s`

const budgetsWhere = (condition: string): string =>
  `(SELECT json_agg(json_build_array(${BUDGET_COLUMNS}))::text FROM budgets WHERE ${condition})`

const KEYS = `
  SELECT id, account_id, person_id, person_from_hold_id, spend_limit_nanos, spent_nanos, held_nanos, expires_at_ms, revoked_at_ms,
         ${budgetsWhere(BUDGETS.of_key)} AS budgets,
         CASE WHEN person_id IS NOT NULL
              THEN ${budgetsWhere(BUDGETS.of_person)} END AS person_budgets,
         ${budgetsWhere(BUDGETS.of_account)} AS account_budgets
    FROM keys
   WHERE id = ANY(ARRAY(SELECT unnest($1::bigint[]) UNION SELECT key_id FROM holds WHERE id = ANY($2::bigint[])))`

/** The hold of a recorded call has no row of its own. */
const HOLDS = `
  SELECT id, account_id, key_id, request_id, amount_nanos, state, created_at_ms, expires_at_ms, gateway_id, covered_nanos, plan_period_id
    FROM holds WHERE id = ANY($1::bigint[]) UNION ALL
  SELECT id, account_id, key_id, request_id, hold_nanos, 'settled', started_at_ms, started_at_ms, NULL, covered_nanos, plan_period_id
    FROM calls WHERE id = ANY($1::bigint[])`

const CALLS = `
  SELECT id, account_id, key_id, request_id, cost_nanos, refunded_nanos FROM calls WHERE id = ANY($1::bigint[])`

const KEYED_ENTRIES = `
  WITH requested AS MATERIALIZED (
         SELECT account_id, request_key FROM json_to_recordset($1::text::json) AS requested (account_id bigint, request_key text))
  SELECT account_id, request_key, kind, amount_nanos, call_id, note, created_at_ms FROM entries
   WHERE (account_id, request_key) IN (SELECT account_id, request_key FROM requested)
  UNION ALL
  SELECT account_id, request_key, 'opening_debt', -amount_nanos, NULL, note, created_at_ms FROM opening_debts
   WHERE (account_id, request_key) IN (SELECT account_id, request_key FROM requested)`

/** The rows that operations name. */
interface NamedRows {
  readonly accounts: Set<number>
  readonly keys: Set<number>
  readonly holds: Set<number>
  readonly calls: Set<number>
  readonly keyed: Pick<KeyedRow, 'account_id' | 'request_key'>[]
  /** The most holds that they may open. */
  new_holds: number
}

function namedRowsOf(operations: readonly Operation[]): NamedRows {
  const named: NamedRows = {
    accounts: new Set(),
    keys: new Set(),
    holds: new Set(),
    calls: new Set(),
    keyed: [],
    new_holds: 0,
  }
  for (const operation of operations) add(named, operation)
  return named
}

function add(named: NamedRows, operation: Operation): void {
  switch (operation.op) {
    case 'hold':
      addNew(named, operation)
      return
    case 'post':
    case 'void':
      if (operation.lost) addNew(named, operation.lost)
      else named.holds.add(operation.hold_id)
      return
    case 'expire':
      named.holds.add(operation.hold_id)
      return
    case 'top_up':
    case 'withdraw':
    case 'open_debt':
      addMovement(named, operation)
      return
    case 'refund':
      named.keys.add(operation.key_id)
      named.calls.add(operation.call_id)
      addKeyed(named, operation)
  }
}

function addMovement(named: NamedRows, operation: MoneyOperation): void {
  addKeyed(named, operation)
  addKeyed(named, { ...purchaseOf(operation), account_id: operation.account_id })
  for (const share of sharesOf(operation)) addKeyed(named, share)
}

function addKeyed(
  named: NamedRows,
  { account_id, request_key }: { account_id: number; request_key?: string | undefined },
): void {
  named.accounts.add(account_id)
  if (request_key !== undefined) named.keyed.push({ account_id, request_key })
}

function addNew(named: NamedRows, { account_id, key_id }: { account_id: number; key_id: number }): void {
  named.accounts.add(account_id)
  named.keys.add(key_id)
  named.new_holds += 1
}

/** Leaves out ids that no row can have. */
const arrayOf = (ids: ReadonlySet<number>): string => `{${[...ids].filter(Number.isSafeInteger).join()}}`

const rowsIn = <Row>(answer: Answer | undefined): Row[] => (answer ? objectsOf<Row>(answer) : [])

function idsFrom(joined_ids: string): () => number {
  const ids = joined_ids.split(',')
  let taken = 0
  return () => {
    const id = Number(ids[taken++])
    if (!Number.isSafeInteger(id) || id <= 0) throw new Error('more holds were opened than ids were drawn')
    return id
  }
}
