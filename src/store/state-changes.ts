// Rows that say what has become of money, such as orders: their state changes only here or with a movement of the ledger, and each change is kept.
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
 * A change of a row's state. The table is a plugin's own, with the columns `id`, `account_id`, `state` and `changed_at_ms`. A row without
 * an account becomes that of whose movement changes it.
 */
export interface StateChange {
  table: string
  id: number
  /** Nothing changes while the row is in another state. */
  from: readonly string[]
  /** The same as before where only the line is to be kept. */
  to: string
  source: ChangeSource
  /** Facts of the change beside the states; no secrets. */
  detail?: Fields | undefined
}

export type StateChangeRow = typeof state_changes.$inferSelect

const NAME = /^[a-z_]+$/

/** The names stand in texts of SQL. @throws Error for one that is none: a bug of the caller */
export function checkNames({ table, from, to }: Pick<StateChange, 'table' | 'from' | 'to'>): void {
  for (const name of [table, to, ...from])
    if (!NAME.test(name)) throw new Error(`not a name of a table or of a state: ${name}`)
}

/** The line that is kept of a change. */
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
 * @returns false where the row is in none of the states that it may come from, or is not there: nothing was changed
 */
export async function changeState(tx: Tx, change: StateChange, now_ms: number): Promise<boolean> {
  checkNames(change)
  const { table, id, from, to } = change
  const look = async () =>
    (await tx.rows<Before>(`SELECT state, account_id FROM ${table} WHERE id = $id`, { id }))[0]
  let before = await look()
  // The ledger changes the states of an account's rows under the same lock. Of a row that is nobody's the row itself is all that is locked.
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
    // Somebody else has changed it meanwhile, and it may come from that state, too.
    before = await look()
  }
  return false
}

interface Before {
  state: string
  account_id: number | null
}

/** The changes of a row, the oldest first. */
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
