// The second look at a viewer, in the transaction of what they change.
import { conflict } from '../domain/errors.ts'
import type { Tx } from '../store/db.ts'
import { personAt } from './people.ts'
import { accountQueries } from './queries.ts'
import { sessionRequired } from './session-rows.ts'
import { ACCOUNT_SUSPENDED } from './suspension.ts'
import type { Viewer } from './viewer.ts'

/**
 * Against a removal, another role and a suspension in the middle of a request: locks the account, and looks once more who its viewer is there.
 *
 * @throws GatewayError unauthenticated for who was removed meanwhile; conflict for who has another role, and in an account that is suspended since
 */
export async function confirmViewer(tx: Tx, viewer: Viewer): Promise<void> {
  if (viewer.side !== 'account') return
  const { person_id, account_id, role, suspended_for } = viewer
  await tx.lock(account_id)
  const found = await personAt(tx, { person_id, account_id })
  if (!found) throw sessionRequired()
  if (found.role !== role)
    throw conflict('Your role in this account was changed. Reload the page.', { code: 'role_changed' })
  const account = await accountQueries(tx).accountById.get({ id: account_id })
  if (suspended_for === undefined && account?.status === 'suspended')
    throw conflict('This account was suspended a moment ago. Reload the page to see why.', {
      code: ACCOUNT_SUSPENDED,
    })
}
