// Change of a password by a person who knows the old one.
import { permissionDenied } from '../domain/errors.ts'
import { recordAction } from '../store/actions.ts'
import type { PersonRow } from '../store/schema.ts'
import { checkPassword, hashOf, setPassword } from './passwords.ts'
import { lockPerson } from './people.ts'
import { peopleQueries } from './people-queries.ts'
import { linkQueries, sessionQueries } from './session-queries.ts'
import type { SessionParts, Visitor } from './session-rows.ts'
import { isKnownAddress } from './sign-in-rate.ts'
import { actionContextOf, ownerOf, requirePerson, type Viewer } from './viewer.ts'

export interface PasswordChange {
  old_password: string
  new_password: string
}

/**
 * Changes the viewer's password, and ends their other sessions and their links.
 *
 * @throws GatewayError invalid_request for a bad new password; permission_denied for a wrong old one, or a session by key
 */
export async function changePassword(
  parts: SessionParts,
  viewer: Viewer,
  { old_password, new_password }: PasswordChange,
  visitor: Visitor,
): Promise<void> {
  const { db, passwords, rate, events, now, log } = parts
  const { address, request_id } = visitor
  requirePerson(viewer)
  checkPassword(new_password, 'new_password')
  const { person_id } = viewer
  const old_hash = await hashOf(db, person_id)
  const is_known = await isKnownAddress(db, { person_id, address, now_ms: now() })
  const succeeded = rate.attempt({ address, name: `person ${person_id}`, is_known })
  if (!(await passwords.verify(old_password, old_hash, { is_known }))) throw wrongOldPassword()
  succeeded()
  const hash = await passwords.hash(new_password)
  await db.begin(
    async (tx) => {
      await lockPerson(tx, person_id)
      if ((await hashOf(tx, person_id)) !== old_hash) throw wrongOldPassword()
      await setPassword(tx, { person_id, hash, now_ms: now() })
      // Another person may have read the mail with the link.
      await linkQueries(tx).removeOfPerson.run({ person_id })
      const others = await sessionQueries(tx).removeOthers.all({
        person_id,
        key_id: null,
        id: viewer.session_id,
      })
      const person: PersonRow | undefined = await peopleQueries(tx).byId.get({ id: person_id })
      if (person) await events.raise(tx, { kind: 'changed', person, change: 'password', at_ms: now() })
      const after = { ended_sessions: others.length }
      await recordAction(tx, { action: 'password.changed', ...ownerOf(viewer), after })
    },
    { by: actionContextOf(viewer, visitor, now()) },
  )
  log.info({ request_id, side: viewer.side, person_id }, 'password of the console changed')
}

const wrongOldPassword = () =>
  permissionDenied('The current password is wrong.', { code: 'wrong_password', param: 'old_password' })
