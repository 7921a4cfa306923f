// Storage of an order's trouble: in the order while it lasts, and in the history of its states.
import { changeState, stateChangesOf } from '../../src/store/state-changes.ts'
import type { Cause } from './changes.ts'
import type { PaymentParts } from './parts.ts'
import { setTrouble } from './store.ts'
import type { Order } from './tables.ts'

/**
 * Saves a trouble sentence in the order. The history and the log get each sentence once, also if it ends and recurs.
 *
 * @param sentence null: the trouble has ended
 */
export async function noteTrouble(
  { db, log, now }: Pick<PaymentParts, 'db' | 'log' | 'now'>,
  { id, account_id, state }: Order,
  sentence: string | null,
  { source }: Cause,
): Promise<void> {
  if (sentence === null) {
    await setTrouble(db, id, null)
    return
  }
  const is_new = await db.begin(async (tx) => {
    await tx.lock(account_id)
    const lines = await stateChangesOf(tx, 'orders', id)
    if (lines.some(({ detail }) => JSON.parse(detail).trouble === sentence)) {
      // The trouble recurs after it had ended.
      await setTrouble(tx, id, sentence)
      return false
    }
    const line = { table: 'orders', id, from: [state], to: state, source, detail: { trouble: sentence } }
    // If the order has changed state, the next refresh decides.
    if (!(await changeState(tx, line, now()))) return false
    await setTrouble(tx, id, sentence)
    return true
  })
  if (is_new) log.warn({ order: id, account_id }, sentence)
}
