// Reset of a staff member's sign-in: removes all ways to sign in and creates one new link.
import { HOUR_MS } from '../domain/ranges.ts'
import { recordAction } from '../store/actions.ts'
import type { Db } from '../store/db.ts'
import type { Issuance } from './keys.ts'
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
 * Removes a staff member's password, passkeys, identities, links, sessions and known addresses, and creates a link to set a new password.
 *
 * @param person default: the first operator
 */
export function resetOperator(
  db: Db,
  issuing: Issuance,
  person?: { person_id: number; subject: string },
): Promise<SignInLink & { ended_sessions: number }> {
  return db.begin(async (tx) => {
    await tx.lock(null)
    const person_id = person?.person_id ?? (await requireFirstOperator(tx, issuing.now_ms)).id
    await passwordQueries(tx).remove.run({ person_id })
    await passkeyQueries(tx).removeOfPerson.run({ person_id })
    await identityQueries(tx).removeOfPerson.run({ person_id })
    // Including mailed links.
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
