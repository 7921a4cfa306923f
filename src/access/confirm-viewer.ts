// The second look at a viewer, in the transaction of what they change.
import { conflict } from '../domain/errors.ts'
import type { Tx } from '../store/db.ts'
import { personAt } from './people.ts'
import { sessionRequired } from './session-rows.ts'
import type { Viewer } from './viewer.ts'

/**
 * Against a removal and another role in the middle of a request: locks the account, and looks once more who its viewer is there.
 *
 * @throws GatewayError unauthenticated for who was removed meanwhile; conflict for who has another role
 */
export async function confirmViewer(tx: Tx, viewer: Viewer): Promise<void> {
  if (viewer.side !== 'account') return
  const { person_id, account_id, role } = viewer
  await tx.lock(account_id)
  const found = await personAt(tx, { person_id, account_id })
  if (!found) throw sessionRequired()
  if (found.role !== role)
    throw conflict('Your role in this account was changed. Reload the page.', { code: 'role_changed' })
}
