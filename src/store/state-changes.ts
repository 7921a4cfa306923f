// Rows that describe the outcome of payments, such as orders. Their state changes only here or with a ledger movement, and each change is kept.
import { and, asc } from 'drizzle-orm'
import type { Fields } from '../domain/actions.ts'
import type { Awaitable, Db, Tx } from './db.ts'
import { equals, placeholders } from './placeholders.ts'
import { perConnection } from './prepared.ts'
import { state_changes } from './schema.ts'

/** The source of a change. */
export const CHANGE_SOURCES = ['webhook', 'poll', 'page', 'api', 'command', 'operator', 'system'] as const
export type ChangeSource = (typeof CHANGE_SOURCES)[number]

/**
 * A change of a row's state. The table belongs to a plugin, and has the columns `id`, `account_id`, `state` and `changed_at_ms`. A row
 * without an account gets the account of the movement that changes it.
 */
export interface StateChange {
  table: string
  id: number
  /** Nothing changes if the row is in another state. */
  from: readonly string[]
  /** The current state, if only a line is to be kept. */
  to: string
  source: ChangeSource
  /** Facts of the change besides the states; no secrets. */
  detail?: Fields | undefined
}

export type StateChangeRow = typeof state_changes.$inferSelect

const NAME = /^[a-z_]+$/

/** Checks the names, which are used in SQL texts. @throws Error for an invalid name: a bug of the caller */
export function checkNames({ table, from, to }: Pick<StateChange, 'table' | 'from' | 'to'>): void {
  for (const name of [table, to, ...from])
    if (!NAME.test(name)) throw new Error(`not a name of a table or of a state: ${name}`)
}

/** Returns the line that records a change. */
export const stateChangeRow = (
  { table, id, to, source, detail = {} }: StateChange,
  { from, account_id, now_ms }: { from: string; account_id: number | null; now_ms: number },
): Omit<StateChangeRow, 'id'> => ({
  subject: table,
  subject_id: id,
  account_id,
  from_state: from,
  to_state: to,
  source,
  detail: JSON.stringify(detail),
  at_ms: now_ms,
})

/**
 * Changes a state without moving money, in the caller's transaction.
 *
 * @returns false if the row is missing, or in none of the `from` states: nothing was changed
 */
export async function changeState(tx: Tx, change: StateChange, now_ms: number): Promise<boolean> {
  checkNames(change)
  const { table, id, from, to } = change
  const look = async () =>
    (await tx.rows<Before>(`SELECT state, account_id FROM ${table} WHERE id = $id`, { id }))[0]
  let before = await look()
  // The ledger changes the states of an account's rows under the same lock. For a row without an account, only the row itself is locked.
  if (before && before.account_id !== null) {
    await tx.lock(before.account_id)
    before = await look()
  }
  while (before && from.includes(before.state)) {
    const [changed] = await tx.rows<{ id: number }>(
      `UPDATE ${table} SET state = $to, changed_at_ms = $now_ms
        WHERE id = $id AND state = $state AND account_id IS NOT DISTINCT FROM CAST($account_id AS bigint) RETURNING id`,
      { id, to, now_ms, ...before },
    )
    if (changed) {
      const { state, account_id } = before
      await queries(tx).insert.run(stateChangeRow(change, { from: state, account_id, now_ms }))
      return true
    }
    // The row was changed in the meantime; the new state may also be one of the `from` states.
    before = await look()
  }
  return false
}

interface Before {
  state: string
  account_id: number | null
}

/** Returns the changes of a row, the oldest first. */
export const stateChangesOf = (db: Db, table: string, id: number): Awaitable<StateChangeRow[]> =>
  queries(db).of.all({ subject: table, subject_id: id })

const queries = perConnection({
  insert: (orm) =>
    orm
      .insert(state_changes)
      .values(
        placeholders(
          ...([
            'subject',
            'subject_id',
            'account_id',
            'from_state',
            'to_state',
            'source',
            'detail',
            'at_ms',
          ] as const),
        ),
      ),
  of: (orm) =>
    orm
      .select()
      .from(state_changes)
      .where(and(equals(state_changes.subject, 'subject'), equals(state_changes.subject_id, 'subject_id')))
      .orderBy(asc(state_changes.id)),
})
