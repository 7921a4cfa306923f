// Sums of calls and entries by account, key and kind: up to a mark, and above it.
import type { Nanos } from '../../domain/money.ts'
import type { Db, Values } from '../../store/db.ts'

/** A place in the two tables that only grow: the calls up to one id, the entries up to another. */
export interface Place {
  call_id: number
  entry_id: number
}

export const BEFORE_ALL: Place = { call_id: 0, entry_id: 0 }
export const AFTER_ALL: Place = { call_id: Number.MAX_SAFE_INTEGER, entry_id: Number.MAX_SAFE_INTEGER }

export interface Sums {
  /** By account: the sum of its entries. */
  balance: Map<number, Nanos>
  /** By account: unpaid charges less debt payments. */
  owed: Map<number, Nanos>
  /** By key: charges, paid or unpaid, less refunds. */
  spent: Map<number, Nanos>
  /** By key: the account of its calls. */
  owners: Map<number, number>
  /** By kind of entry. */
  kinds: Map<string, Nanos>
}

/** A call may run, or an entry may wait for its commit, this long without appearing as pending. */
const SETTLED_AFTER_MS = 10 * 60_000

const NEXT_CALL = `SELECT coalesce(max(id), $call_id) AS id FROM calls
  WHERE id > $call_id AND started_at_ms < $before_ms
    AND id < (SELECT coalesce(min(id), $last_id) FROM holds WHERE state = 'pending')`
const NEXT_ENTRY = `SELECT coalesce((SELECT min(id) - 1 FROM entries
                              WHERE id > $entry_id AND (call_id > $call_id OR created_at_ms >= $before_ms)),
                            (SELECT max(id) FROM entries), 0) AS id`

/** Returns the last place before which no row will be added: all entries up to it belong to calls up to it. @param from an earlier place */
export async function settledPlace(db: Db, { call_id, entry_id }: Place, now_ms: number): Promise<Place> {
  const before_ms = now_ms - SETTLED_AFTER_MS
  const last_id = AFTER_ALL.call_id
  const next_call_id = await numberOf(db, NEXT_CALL, { call_id, before_ms, last_id })
  const next_entry_id = await numberOf(db, NEXT_ENTRY, { entry_id, call_id: next_call_id, before_ms })
  return { call_id: next_call_id, entry_id: next_entry_id }
}

const BETWEEN_ENTRIES = 'entries.id > $entry_id AND entries.id <= $last_entry_id'
const ENTRY_SUMS = `SELECT +account_id AS account_id, kind, sum(amount_nanos) AS nanos FROM entries
  WHERE ${BETWEEN_ENTRIES} GROUP BY 1, kind`
const CALL_SUMS = `SELECT +account_id AS account_id, key_id, sum(unpaid_nanos) AS unpaid_nanos, sum(cost_nanos) AS cost_nanos FROM calls
  WHERE id > $call_id AND id <= $last_call_id GROUP BY 1, key_id`
const REFUND_SUMS = `SELECT key_id, sum(amount_nanos) AS nanos FROM entries JOIN calls ON calls.id = entries.call_id
  WHERE kind = 'refund' AND kind <> 'charge' AND ${BETWEEN_ENTRIES} GROUP BY key_id`

/** @returns the sums plus those of the rows between two places */
export async function addSums(db: Db, sums: Sums, from: Place, to: Place): Promise<Sums> {
  const { balance, owed, spent, owners, kinds } = structuredClone(sums)
  const entries = { entry_id: from.entry_id, last_entry_id: to.entry_id }
  const calls = { call_id: from.call_id, last_call_id: to.call_id }
  for (const { account_id, kind, nanos } of await db.rows<EntrySum>(ENTRY_SUMS, entries)) {
    add(balance, account_id, nanos)
    add(kinds, kind, nanos)
    if (kind === 'debt_payment') add(owed, account_id, nanos)
  }
  for (const sum of await db.rows<CallSum>(CALL_SUMS, calls)) {
    add(owed, sum.account_id, sum.unpaid_nanos)
    add(spent, sum.key_id, sum.cost_nanos)
    owners.set(sum.key_id, sum.account_id)
  }
  for (const { key_id, nanos } of await db.rows<{ key_id: number; nanos: Nanos }>(REFUND_SUMS, entries))
    add(spent, key_id, -nanos)
  return { balance, owed, spent, owners, kinds }
}

interface EntrySum {
  account_id: number
  kind: string
  nanos: Nanos
}

interface CallSum {
  account_id: number
  key_id: number
  unpaid_nanos: Nanos
  cost_nanos: Nanos
}

function add<Of>(sums: Map<Of, Nanos>, of: Of, nanos: Nanos): void {
  sums.set(of, (sums.get(of) ?? 0) + nanos)
}

const OWED = `SELECT accounts.id, debt_nanos - coalesce(opening, 0) AS nanos FROM accounts
  LEFT JOIN (SELECT account_id, sum(amount_nanos) AS opening FROM opening_debts GROUP BY account_id) AS brought
    ON brought.account_id = accounts.id`

/** Whether the stored columns of accounts and keys equal the sums of all rows. */
export async function accountsMatch(db: Db, { balance, owed, spent, owners }: Sums): Promise<boolean> {
  const keys = await db.rows<{ id: number; account_id: number }>('SELECT id, account_id FROM keys')
  return (
    keys.every(({ id, account_id }) => (owners.get(id) ?? account_id) === account_id) &&
    (await columnMatches(db, balance, 'SELECT id, balance_nanos AS nanos FROM accounts')) &&
    (await columnMatches(db, owed, OWED)) &&
    (await columnMatches(db, spent, 'SELECT id, spent_nanos AS nanos FROM keys'))
  )
}

async function columnMatches(db: Db, sums: ReadonlyMap<number, Nanos>, text: string): Promise<boolean> {
  const kept = await db.rows<{ id: number; nanos: Nanos }>(text)
  const ids = new Set(kept.map(({ id }) => id))
  return (
    kept.every(({ id, nanos }) => nanos === (sums.get(id) ?? 0)) && sums.keys().every((id) => ids.has(id))
  )
}

/** @returns the number that a query returns as `id` */
export async function numberOf(db: Db, text: string, values: Values): Promise<number> {
  const [row] = await db.rows<{ id: number }>(text, values)
  if (!row) throw new Error('an aggregate query returned no row')
  return row.id
}
