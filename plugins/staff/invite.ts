// A link by which somebody of the staff sets their password: mailed where there is a mail server, else shown to who makes it.
import type { Issuing } from '../../src/access/keys.ts'
import { makeStaffLink, OPERATORS_LINK_HOURS, type SignInLink } from '../../src/access/sign-in-links.ts'
import { linkAt } from '../../src/app/command-line/console-link.ts'
import { conflict } from '../../src/domain/errors.ts'
import { HOUR_MS } from '../../src/domain/ranges.ts'
import type { Tx } from '../../src/store/db.ts'
import { queueMail } from '../mail/index.ts'
import { subjectOf } from './people.ts'
import type { StaffPerson } from './rows.ts'

export const STAFF_LINK_DAYS = 7

export interface StaffLink extends SignInLink {
  /** Undefined: it was not mailed, and is to be shown. */
  mailed_to: string | undefined
}

/**
 * Makes a link in place of an earlier one, and queues its mail. A mailed link is shown to nobody else. In a transaction that has locked the
 * operator.
 *
 * @throws GatewayError conflict for somebody who is disabled
 */
export async function inviteStaff(
  tx: Tx,
  person: StaffPerson,
  { has_mail, ...issuing }: Issuing & { has_mail: boolean },
): Promise<StaffLink> {
  const { id: person_id, email, role, has_password } = person
  refuseDisabled(person)
  const lasts_ms = STAFF_LINK_DAYS * 24 * HOUR_MS
  const made = await makeStaffLink(tx, { person_id, subject: subjectOf(person), lasts_ms }, issuing)
  if (!has_mail || email === null) return { ...made, mailed_to: undefined }
  const about = {
    to: email,
    account_id: null,
    link: { path: linkAt('', 'invitation', made).url, expires_at_ms: made.expires_at_ms },
    // Each link is one of its own.
    request_key: `staff:${crypto.randomUUID()}`,
  }
  if (has_password) await queueMail(tx, { ...about, purpose: 'reset', fields: {} }, issuing.now_ms)
  else await queueMail(tx, { ...about, purpose: 'invitation', fields: { staff_role: role } }, issuing.now_ms)
  return { ...made, mailed_to: email }
}

/** The link of `console link` for a person: as long as the operator's own. @throws GatewayError conflict for somebody who is disabled */
export async function linkForStaff(tx: Tx, person: StaffPerson, issuing: Issuing): Promise<SignInLink> {
  refuseDisabled(person)
  const of = { person_id: person.id, subject: subjectOf(person), lasts_ms: OPERATORS_LINK_HOURS * HOUR_MS }
  return await makeStaffLink(tx, of, issuing)
}

/** No link lets them in. @throws GatewayError conflict */
export function refuseDisabled({ name, disabled_at_ms }: Pick<StaffPerson, 'name' | 'disabled_at_ms'>): void {
  if (disabled_at_ms !== null)
    throw conflict(`${name} is disabled and cannot sign in. Enable them first.`, { code: 'person_disabled' })
}
