// Second check of a viewer's rights, in the transaction of their change.
import { conflict } from '../domain/errors.ts'
import type { Tx } from '../store/db.ts'
import { personOnSide } from './people.ts'
import { accountQueries } from './queries.ts'
import { sessionRequired } from './session-rows.ts'
import { ACCOUNT_SUSPENDED } from './suspension.ts'
import type { Viewer } from './viewer.ts'

/**
 * Locks the account and checks the viewer again: they may have been removed or given another role, or the account suspended, during the request.
 *
 * @throws GatewayError unauthenticated if the viewer was removed; conflict if their role was changed, or the account was suspended
 */
export async function confirmViewer(tx: Tx, viewer: Viewer): Promise<void> {
  if (viewer.side !== 'account') return
  const { person_id, account_id, role, suspended_for } = viewer
  await tx.lock(account_id)
  const found = await personOnSide(tx, { person_id, account_id })
  if (!found) throw sessionRequired()
  if (found.role !== role)
    throw conflict('Your role in this account was changed. Reload the page.', { code: 'role_changed' })
  const account = await accountQueries(tx).accountById.get({ id: account_id })
  if (suspended_for === undefined && account?.status === 'suspended')
    throw conflict('This account was suspended a moment ago. Reload the page to see why.', {
      code: ACCOUNT_SUSPENDED,
    })
}
