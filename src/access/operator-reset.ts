// The reset of somebody of the staff: every way to sign in is taken from them, but one new link.
import { HOUR_MS } from '../domain/ranges.ts'
import { recordAction } from '../store/actions.ts'
import type { Db } from '../store/db.ts'
import type { Issuing } from './keys.ts'
import { requireFirstOperator } from './people.ts'
import {
  identityQueries,
  linkQueries,
  passkeyQueries,
  passwordQueries,
  sessionQueries,
} from './session-queries.ts'
import { makeLink, OPERATORS_LINK_HOURS, type SignInLink } from './sign-in-links.ts'
import { forgetAddresses } from './sign-in-rate.ts'

/**
 * Takes every way to sign in from somebody of the staff: password, passkeys, identities, links and sessions; forgets where they signed in, and makes a
 * link by which a new password is set.
 *
 * @param person absent: the first operator
 */
export function resetOperator(
  db: Db,
  issuing: Issuing,
  person?: { person_id: number; subject: string },
): Promise<SignInLink & { ended_sessions: number }> {
  return db.begin(async (tx) => {
    await tx.lock(null)
    const person_id = person?.person_id ?? (await requireFirstOperator(tx, issuing.now_ms)).id
    await passwordQueries(tx).remove.run({ person_id })
    await passkeyQueries(tx).removeOfPerson.run({ person_id })
    await identityQueries(tx).removeOfPerson.run({ person_id })
    // Also links that were mailed.
    await linkQueries(tx).removeOfPerson.run({ person_id })
    await forgetAddresses(tx, person_id)
    const ended = await sessionQueries(tx).removeOthers.all({ person_id, key_id: null, id: 0 })
    await recordAction(tx, {
      action: 'operator.reset',
      subject: person?.subject,
      before: { sessions: ended.length },
    })
    const lasts_ms = OPERATORS_LINK_HOURS * HOUR_MS
    const made = await makeLink(
      tx,
      { person_id, account_id: null, subject: person?.subject },
      lasts_ms,
      issuing,
    )
    return { ...made, ended_sessions: ended.length }
  })
}
